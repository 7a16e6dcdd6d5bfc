/** The types of private-server.mjs. */
export interface PrivateServer {
  /** Of its administrator, in the database `mysql`. */
  readonly url: string;
  /** Ends it as a power failure does. */
  kill(): Promise<void>;
  /** Starts it again after that, at the same address, with the data that it has; resolves when it answers. */
  start(): Promise<void>;
  /** A second server, at another address, with the same data. */
  copy(): Promise<PrivateServer>;
  /** Ends it, and removes its data. */
  stop(): Promise<void>;
}

export function startPrivateServer(
  found: { program: string; mariadb: boolean },
  options?: readonly string[],
): Promise<PrivateServer>;
