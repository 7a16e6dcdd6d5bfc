import type { OperationObject, ParameterObject, PathsObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import { LIFETIME_SECONDS } from '../auth/access-token-claims.js';
import { csvWriter } from '../resource/csv-writer.js';
import { keysOf, type Resource } from '../resource/field.decorator.js';
import { API_PROFILE } from '../http/api-profile.js';
import { schemaOf } from '../schema/schema.js';
import { type DataEndpoint, hasChanges } from '../endpoints/data-endpoint.js';
import { DATA_ENDPOINTS } from '../endpoints/data-endpoints.js';
import { arrayOf, exampleOf } from './field-schemas.js';
import { withDeprecation } from './deprecated.js';
import { COUNTED, DELTA, headers, VALIDATED } from './headers.js';
import { response, tokenFailures } from './responses.js';

/** The names of the two security schemes. */
export const TOKEN = 'accessToken';
export const BASIC = 'clientBasic';

const REQUEST_ID: ParameterObject = {
  name: 'X-Request-Id',
  in: 'header',
  description:
    'ID for the log: 1 to 128 letters, digits, dots, dashes and underscores. The service replaces any other ID.',
  schema: { type: 'string' },
};

const IF_NONE_MATCH: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of a response that the client has. 304 while that response is still current.',
  schema: { type: 'string' },
};

const ACCEPT_ENCODING: ParameterObject = {
  name: 'Accept-Encoding',
  in: 'header',
  description: 'Compressions that the client supports: `br`, `gzip`, with q-values.',
  schema: { type: 'string' },
};

/** Responses that every HTTP request can get. */
const ALWAYS = {
  400: response('Malformed'),
  417: response('ExpectationFailed'),
  429: response('QuotaExceeded'),
};

const PROTECTED = { ...ALWAYS, 401: response('Unauthorized') };

/** Returns the operations of the interface by path and method. */
export function paths(): PathsObject {
  return Object.assign(
    { '/auth/token': { post: requestToken() } },
    ...DATA_ENDPOINTS.map((endpoint) => ({
      [endpoint.path]: { get: withDeprecation(endpoint, dataOperation(endpoint)) },
      ...(hasChanges(endpoint)
        ? { [`${endpoint.path}/changes`]: { get: withDeprecation(endpoint, changesOperation(endpoint)) } }
        : {}),
      [`${endpoint.path}/schema`]: { get: withDeprecation(endpoint, schemaOperation(endpoint)) },
    })),
    { '/api/usage': { get: readUsage() }, '/api/version': { get: readVersion() }, '/health': { get: readHealth() } },
  ) as PathsObject;
}

function requestToken(): OperationObject {
  const form: SchemaObject = {
    type: 'object',
    properties: {
      grant_type: { type: 'string', const: 'client_credentials' },
      client_id: { type: 'string', description: 'Customer Code. Optional with HTTP Basic.', examples: ['DEMO-SHOP'] },
      client_secret: { type: 'string', description: 'API key. Not allowed with HTTP Basic.', format: 'password' },
      scope: { type: 'string', description: 'Ignored.' },
    },
    required: ['grant_type'],
  };
  return {
    operationId: 'requestToken',
    tags: ['Authentication'],
    summary: 'Request an access token',
    description:
      'OAuth 2.0 client credentials (RFC 6749 §4.4), in the form or by HTTP Basic with both halves form-encoded. ' +
      'Cache the token and use it for all requests until shortly before it expires.',
    security: [{}, { [BASIC]: [] }],
    parameters: [REQUEST_ID],
    requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema: form } } },
    responses: {
      200: {
        description: 'An access token.',
        headers: headers(...COUNTED, 'NoStore', 'Pragma'),
        content: json('TokenResponse', {
          access_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.signature',
          token_type: 'Bearer',
          expires_in: LIFETIME_SECONDS,
        }),
      },
      ...tokenFailures(),
    },
  };
}

function dataOperation({ path, resource, tag, summary, description }: DataEndpoint): OperationObject {
  return {
    operationId: `read${tag}`,
    tags: [tag],
    summary,
    description,
    security: [{ [TOKEN]: [] }],
    parameters: [REQUEST_ID, IF_NONE_MATCH, ACCEPT_ENCODING],
    responses: {
      200: {
        description: `All elements of \`${path}\` that the customer may see, from one snapshot of the database.`,
        headers: headers(...COUNTED, ...VALIDATED, 'Content-Encoding', 'X-Last-SKU', 'X-Data-Changed'),
        content: dataContent(resource),
      },
      304: response('NotModified'),
      ...PROTECTED,
      404: response('CustomerNotFound'),
      406: response('NotAcceptable'),
      500: response('Unexpected'),
    },
  };
}

const BASE: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  description:
    'The base: the `ETag` of an earlier response of this path or of the path without `/changes`. If there are several, ' +
    'the oldest one is the base. 304 if nothing has changed since then.',
  schema: { type: 'string' },
};

function changesOperation({ path, resource, tag }: DataEndpoint): OperationObject {
  const [element, ETag] = [exampleOf(resource), 'W/"Ck1Zj2o3iGfPHsDl0yXQ9v4T6u8wBzAe.kX2…"'];
  const lines = [{ ETag, Complete: false }, { Changed: element }, { Gone: 'PIR-1009' }, { End: true }];
  return {
    operationId: `read${tag}Changes`,
    tags: [tag],
    summary: `What changed in ${path}`,
    description:
      'Elements that were added or changed since the base, and the SKUs of elements that are gone. If `Complete` is ' +
      'true, `Changed` has every element: replace all your data. `Complete` is true without a base, and whenever the ' +
      'service cannot determine the changes since the base. If `Complete` is false, insert or overwrite each element ' +
      'of `Changed` by its SKU, and delete each SKU of `Gone`.',
    security: [{ [TOKEN]: [] }],
    parameters: [REQUEST_ID, BASE, ACCEPT_ENCODING],
    responses: {
      200: {
        description: `The changes of \`${path}\` from the base to one snapshot of the database.`,
        headers: headers(...COUNTED, ...DELTA, 'Content-Encoding', 'X-Data-Changed'),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${resource.name}Changes` },
            examples: example({ ETag, Complete: false, Changed: [element], Gone: ['PIR-1009'] }),
          },
          'application/x-ndjson': {
            schema: {
              type: 'string',
              description:
                'The first line has `ETag` and `Complete`. Then follows a line for each changed element and for each SKU ' +
                'that is gone. Without the last line, `{"End":true}`, the body is incomplete.',
            },
            examples: example(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
          },
        },
      },
      304: response('NothingChanged'),
      ...PROTECTED,
      404: response('CustomerNotFound'),
      406: response('DeltaNotAcceptable'),
      500: response('Unexpected'),
    },
  };
}

/** The formats that `Accept` can select. JSON is the default. */
function dataContent(resource: Resource): ResponseObject['content'] {
  const element = exampleOf(resource);
  const json = JSON.stringify(element);
  const { header, row } = csvWriter(keysOf(resource), ',');
  const text = (description: string, value: string) => ({
    schema: { type: 'string' as const, description },
    examples: example(value),
  });
  return {
    'application/json': { schema: arrayOf(resource), examples: example([element]) },
    'application/x-ndjson': text('One element per line, each as in JSON.', `${json}\n`),
    'text/csv': text(
      'RFC 4180. The columns are in the order of the fields; a nested array is JSON in one cell. Parameters of this type ' +
        'in `Accept`: `delimiter=semicolon`, `decimal=comma` (with semicolons), and `bom=1` for a byte-order mark.',
      header + row(json),
    ),
  };
}

function schemaOperation({ path, resource, tag }: DataEndpoint): OperationObject {
  return {
    operationId: `read${tag}Schema`,
    tags: [tag],
    summary: `Fields of ${path}`,
    description: 'Changes only with the API profile (`apiVersion`).',
    security: [{ [TOKEN]: [] }],
    parameters: [REQUEST_ID, IF_NONE_MATCH],
    responses: {
      200: validated('The fields in the order of the data responses.', 'Schema', schemaOf(path, resource)),
      304: response('NotModified'),
      ...PROTECTED,
    },
  };
}

function readUsage(): OperationObject {
  return {
    operationId: 'readUsage',
    tags: ['Service'],
    summary: 'Used quota, and expiry of the API key',
    description:
      'Returns both quota windows of the customer, including this request, and when the API key behind the token ' +
      'expires. All keys and tokens of the customer share the windows.',
    security: [{ [TOKEN]: [] }],
    parameters: [REQUEST_ID],
    responses: {
      200: {
        description: 'The quota windows and the expiry of the key.',
        headers: headers(...COUNTED, 'NoStore'),
        content: json('Usage', {
          windows: [
            { window: '1m', limit: 60, used: 2, remaining: 58, resetsAt: '2026-11-27T23:29:24.989Z' },
            { window: '1h', limit: 1000, used: 22, remaining: 978, resetsAt: '2026-11-28T00:14:09.306Z' },
          ],
          keyExpiresAt: '2027-01-01T00:00:00.000Z',
        }),
      },
      ...PROTECTED,
      404: response('CustomerNotFound'),
      500: response('Unexpected'),
    },
  };
}

function readVersion(): OperationObject {
  return {
    operationId: 'readVersion',
    tags: ['Service'],
    summary: 'The deployed API profile',
    security: [{}],
    parameters: [REQUEST_ID, IF_NONE_MATCH],
    responses: {
      200: validated('The API profile.', 'Version', { apiVersion: API_PROFILE }),
      304: response('NotModified'),
      ...ALWAYS,
      500: response('Unexpected'),
    },
  };
}

function readHealth(): OperationObject {
  return {
    operationId: 'readHealth',
    tags: ['Service'],
    summary: 'Health of the service and its database',
    security: [{}],
    parameters: [REQUEST_ID],
    responses: {
      200: health('The service and its database work.', 'Healthy'),
      ...ALWAYS,
      503: health('The database does not respond, or does not have the schema of this release.', 'Unhealthy'),
    },
  };
}

const health = (description: string, word: string): ResponseObject => ({
  description,
  headers: headers(...COUNTED, 'NoStore'),
  content: { 'text/plain': { schema: { type: 'string', const: word }, example: word } },
});

const example = (value: unknown) => ({ example: { value } });

const json = (schema: string, value: unknown): ResponseObject['content'] => ({
  'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, examples: example(value) },
});

function validated(description: string, schema: string, value: unknown): ResponseObject {
  return { description, headers: headers(...COUNTED, ...VALIDATED), content: json(schema, value) };
}
