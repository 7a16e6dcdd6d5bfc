// Measures in a process of its own, so that one run can use several versions of Node. All processes that it starts run
// on the same version.
import { compareImports } from './import.mjs';
import { describeMachine } from './machine.mjs';
import { measureSections } from './responses/sections.mjs';
import { connectTo } from './server.mjs';
import { serveTasks } from './task-process.mjs';

serveTasks({ import: on(compareImports), responses: on(measureSections) });

/** @param measure returns `rows` and `aims` */
function on(measure) {
  return async ({ serverUrl, ...options }) => {
    const server = await connectTo(serverUrl);
    try {
      const node = process.versions.node;
      const taken = new Date().toISOString().slice(0, 10);
      return { node, taken, machine: describeMachine(), ...(await measure(server, options)) };
    } finally {
      await server.connection.end();
    }
  };
}
