import { once } from 'node:events';
import { rmSync } from 'node:fs';

/** Stops the private server of this run, if there is one, and removes its folder. */
export default async function stopServer() {
  if (!globalThis.privateServer) return;
  const { child, folder } = globalThis.privateServer;
  child.kill();
  await once(child, 'exit');
  rmSync(folder, { recursive: true, force: true });
}
