// Measures commands of both sides. Each run is a process of its own.
import { cpuOf } from '../process-usage.mjs';
import { inOrder } from './sides.mjs';

const COMMAND = ['seconds', 'cpu', 'rss'];

/**
 * @param {{ base: object, now: object }} sides see `onBothSides`
 * @param {string[]} order the order of the sides
 * @returns {Promise<import('./figures.mjs').Measured>}
 */
export async function measureHelp(sides, order) {
  const found = await inOrder(order, (side) => sides[side].cli(sides[side].url, '--help'));
  return { what: 'cli --help', keys: COMMAND, ...found };
}

/**
 * Imports the files of a data set into empty databases.
 * @returns {Promise<import('./figures.mjs').Measured[]>} the migrations that created the tables, and the imports
 */
export async function measureImport(sides, order, { server, databasePid, size, files }) {
  const migrations = {};
  const imports = await inOrder(order, (side) => {
    const { cli } = sides[side];
    const migrate = async (...args) => void (migrations[side] = await cli(...args));
    return server.withDatabase((url) => importInto(url, cli, files, databasePid), migrate);
  });
  return [
    { what: 'migrate', keys: COMMAND, ...migrations },
    { what: `import of ${size}`, keys: [...COMMAND, 'databaseCpu'], ...imports },
  ];
}

async function importInto(url, cli, files, databasePid) {
  const before = cpuOf(databasePid);
  const found = await cli(url, 'import', files);
  return { ...found, databaseCpu: cpuOf(databasePid) - before };
}
