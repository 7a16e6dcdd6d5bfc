import { once } from 'node:events';
import { createServer } from 'node:net';

// Systems give client connections ports from 32768 on, by default. A connection could take such a port before the server
// binds it.
export const LOWEST = 10_000;
export const HIGHEST = 32_767;

/** Returns a port that is free at this moment, below the default range of client connections. */
export async function freePort() {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
    if (await isFree(port)) return port;
  }
}

async function isFree(port) {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch (error) {
    if (error.code === 'EADDRINUSE') return false;
    throw error;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
