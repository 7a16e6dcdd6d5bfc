/** The types of private-server.mjs. */
export interface PrivateServer {
  /** The URL of the administrator's account, in the database `mysql`. */
  readonly url: string;
  /** Kills the server, like a power failure. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts the server again after `kill`, with the same address and data. Resolves when it accepts connections. */
  start(): Promise<void>;
  /** Creates a second server with the same data at another address. */
  copy(): Promise<PrivateServer>;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}

export function startPrivateServer(
  found: { program: string; mariadb: boolean },
  options?: readonly string[],
): Promise<PrivateServer>;
