import { once } from 'node:events';
import type { AddressInfo, Server as NetServer } from 'node:net';
import mysql from 'mysql2';

/** The parts of a connection to a client that mysql2 does not declare. */
interface ClientConnection extends mysql.Connection {
  sequenceId: number;
  on(event: string, listener: (sql: string) => void): this;
}

/**
 * A proxy that forwards the statements of all clients in turn to two connections of its own. A transaction stays on one
 * connection. Settings, variables and locks of a session do not.
 */
export class MultiplexingProxy {
  private readonly server = mysql.createServer(() => undefined);
  private readonly connections: mysql.Connection[];
  private next = 0;

  constructor(url: string) {
    this.connections = [1, 2].map(() => mysql.createConnection({ uri: url, dateStrings: true }));
    this.server.on('connection', (client: ClientConnection) => this.serve(client));
  }

  /** Accepts every client, so it listens on this machine only. @returns its address, with the database of `url` */
  async open(url: string): Promise<string> {
    const { _server: listener } = this.server as unknown as { _server: NetServer };
    await once(listener.listen(0, '127.0.0.1'), 'listening');
    const { port } = listener.address() as AddressInfo;
    return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href;
  }

  close(): void {
    for (const connection of this.connections) connection.destroy();
    this.server.close(() => undefined);
  }

  private serve(client: ClientConnection): void {
    /** Each command starts a new sequence of packets. */
    const nextCommand = () => void (client.sequenceId = 0);
    client.serverHandshake({
      protocolVersion: 10,
      serverVersion: '8.4.0',
      connectionId: 1,
      statusFlags: 2,
      characterSet: 45,
      capabilityFlags: 0xffffff,
      authCallback: (_parameters: unknown, accept: (error: null) => void) => {
        accept(null);
        nextCommand();
      },
    });
    let pinned: mysql.Connection | undefined;
    client.on('error', () => undefined);
    client.on('quit', () => client.destroy());
    const forward = (sql: string) => {
      const connection = pinned ?? this.connections[this.next++ % this.connections.length]!;
      if (sql.startsWith('START TRANSACTION')) pinned = connection;
      if (/^(COMMIT|ROLLBACK)/.test(sql)) pinned = undefined;
      connection.query(sql, (error: mysql.QueryError | null, rows: unknown, fields: unknown) => {
        if (error) client.writeError({ code: error.errno, message: error.message });
        else if (Array.isArray(rows)) client.writeTextResult(rows, fields as mysql.FieldPacket[]);
        else client.writeOk(rows as mysql.ResultSetHeader);
        nextCommand();
      });
    };
    client.on('query', forward);
    // mysql2 takes SET for a part of a prepared statement.
    client.on('stmt_prepare', forward);
  }
}
