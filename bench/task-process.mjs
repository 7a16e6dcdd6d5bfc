// Processes that do tasks for another: what they are busy with takes none of its time, nor its memory.
import { fork } from 'node:child_process';

/**
 * Starts a program that calls `serveTasks`.
 * @returns {{ ask: (task: string, options: object) => Promise<object>, stop: () => void }} several tasks may run at once
 */
export function startTasks(path) {
  const child = fork(path, { env: { PATH: process.env.PATH } });
  const waiting = new Map();
  let last = 0;
  child.on('message', ({ id, result, problem }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (problem) reject(new Error(problem));
    else resolve(result);
  });
  const ask = (task, options) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      child.send({ id: last, task, options });
    });
  return { ask, stop: () => child.kill() };
}

/** Does the tasks that the starting process asks for. @param {Record<string, (options) => Promise<object>>} tasks */
export function serveTasks(tasks) {
  process.on('message', async ({ id, task, options }) => {
    const response = await tasks[task](options).then(
      (result) => ({ result }),
      (error) => ({ problem: `${task}: ${error.message}` }),
    );
    process.send({ id, ...response });
  });
}
