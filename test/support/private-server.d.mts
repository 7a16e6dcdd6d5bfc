/** The types of private-server.mjs. */
export function startPrivateServer(
  found: { program: string; mariadb: boolean },
  options?: readonly string[],
): Promise<{ url: string; stop: () => Promise<void> }>;
