// Runs tasks in a child process, so that they use neither the time nor the memory of the parent process.
import { fork } from 'node:child_process';
import { killAtExit } from './at-exit.mjs';

/**
 * Starts a program that calls `serveTasks`.
 * @param {string} [node] the program of Node that runs it; default: the one that runs this process
 * @returns {{ ask: (task: string, options: object) => Promise<object>, stop: () => void }} several tasks may run at once
 */
export function startTasks(path, node = process.execPath) {
  const { PATH, BENCH_NODE_OPTIONS } = process.env;
  // SIGTERM lets a program that has started further processes end them.
  const child = killAtExit(fork(path, { execPath: node, env: { PATH, BENCH_NODE_OPTIONS } }), 'SIGTERM');
  const waiting = new Map();
  let last = 0;
  child.on('message', ({ id, result, error }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(new Error(error));
    else resolve(result);
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values())
      reject(new Error(`${path} ended early: ${signal ?? `exit code ${code}`}`));
  });
  const ask = (task, options) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      child.send({ id: last, task, options });
    });
  return { ask, stop: () => child.kill() };
}

/** Runs the tasks that the parent process requests. @param {Record<string, (options) => Promise<object>>} tasks */
export function serveTasks(tasks) {
  process.on('message', async ({ id, task, options }) => {
    const response = await tasks[task](options).then(
      (result) => ({ result }),
      (error) => ({ error: `${task}: ${error.stack}` }),
    );
    process.send({ id, ...response });
  });
}
