// A client in a process of its own, so that neither the service nor who measures takes its time.
import { fork } from 'node:child_process';
import { join } from 'node:path';

/**
 * Starts a client.
 * @returns {{ ask: (task: string, options: object) => Promise<object>, stop: () => void }} `ask` has it do one of the
 *   tasks of http-client-process.mjs; several may run at once
 */
export function startClient() {
  const child = fork(join(import.meta.dirname, 'http-client-process.mjs'), { env: { PATH: process.env.PATH } });
  const waiting = new Map();
  let last = 0;
  child.on('message', ({ id, result, complaint }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (complaint) reject(new Error(complaint));
    else resolve(result);
  });
  const ask = (task, options) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      child.send({ id: last, task, options });
    });
  return { ask, stop: () => child.kill() };
}
