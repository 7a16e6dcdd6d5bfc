import type { TracedPhase } from '../download/phase.js';
import type { TracedRequest } from '../telemetry/request-channel.js';
import { SPAN_KIND, type SpanDescription } from './span.js';
import { summarizeStatement } from './statement-summary.js';

/** The fields that the channels of mysql2 and ioredis have in common. */
interface ServerMessage {
  database?: string | number;
  serverAddress?: string;
  serverPort?: number;
}

/** A statement, as mysql2 publishes it: with its values. */
export interface QueryMessage extends ServerMessage {
  query: string;
}

/** A command, as ioredis publishes it. */
export interface CommandMessage extends ServerMessage {
  command: string;
}

/**
 * Describes a request in the names of the semantic conventions of OpenTelemetry. It contains nothing that the log line
 * of the request lacks.
 */
export function describeRequest({ route, method, response }: TracedRequest): SpanDescription {
  const path = route === 'other' ? undefined : route;
  const { status, ended, abortReason } = response ?? {};
  return {
    name: path ? `${method} ${path}` : method,
    kind: SPAN_KIND.server,
    attributes: {
      'http.request.method': method === 'other' ? '_OTHER' : method,
      'http.route': path,
      'url.path': path,
      'url.scheme': 'http',
      'http.response.status_code': status,
      'http.response.size': response?.bytes,
      'client.address': response?.address,
      'customer_data.request.id': response?.requestId,
      'customer_data.customer.code': response?.customer,
      'customer_data.key.id': response?.keyId,
      'customer_data.quota.bucket': response?.bucket,
      'customer_data.quota.refused_by': response?.refusedBy,
      'customer_data.response.ended': ended,
    },
    errorType: abortReason ?? ((status ?? 0) >= 500 ? String(status) : undefined),
  };
}

export function describePhase({ phase }: TracedPhase): SpanDescription {
  return { name: phase, kind: SPAN_KIND.internal, attributes: {} };
}

/** Describes an SQL statement without its values. */
export function describeQuery(message: QueryMessage): SpanDescription {
  const { operation, table } = summarizeStatement(message.query);
  return describeCall('mysql', table ? `${operation} ${table}` : operation, message, {
    'db.operation.name': operation,
    'db.collection.name': table,
  });
}

/** Describes the opening of a connection. */
export function describeConnect(message: ServerMessage): SpanDescription {
  return describeCall('mysql', 'connect', message, {});
}

/** Describes the wait for a free connection of a pool. */
export function describePoolWait(message: ServerMessage): SpanDescription {
  return describeCall('mysql', 'wait for a connection', message, {});
}

/** Describes a command of Redis without its arguments. */
export function describeCommand(message: CommandMessage): SpanDescription {
  const operation = message.command.toUpperCase();
  return describeCall('redis', operation, message, { 'db.operation.name': operation });
}

function describeCall(
  system: string,
  name: string,
  { database, serverAddress, serverPort }: ServerMessage,
  attributes: SpanDescription['attributes'],
): SpanDescription {
  return {
    name,
    kind: SPAN_KIND.client,
    attributes: {
      'db.system.name': system,
      'db.namespace': database === undefined ? undefined : String(database),
      'server.address': serverAddress,
      'server.port': serverPort,
      ...attributes,
    },
  };
}
