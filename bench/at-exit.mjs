// Undoes what a benchmark leaves outside its process, if Ctrl-C or an error ends the process before it has cleaned up.
const tasks = new Set();

process.once('exit', () => {
  for (const task of [...tasks].toReversed())
    try {
      task();
    } catch (error) {
      console.error(`Could not clean up: ${error.message}`);
    }
});

/**
 * Runs `task` when the process ends, after the tasks that were added later.
 * @param {() => void} task must be synchronous
 * @returns {() => void} removes the task: it is no longer needed
 */
export function atExit(task) {
  tasks.add(task);
  return () => tasks.delete(task);
}

/** Kills a child process when this process ends. @returns the child process */
export function killAtExit(child, signal = 'SIGKILL') {
  child.once(
    'exit',
    atExit(() => child.kill(signal)),
  );
  return child;
}
