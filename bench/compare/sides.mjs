// The two sides of a comparison: another commit and this checkout, each with a database.
import { cliOf } from '../command.mjs';
import { ExpectedError } from '../expected-error.mjs';

/** The customer whose requests are compared. */
export const CUSTOMER = 'BENCH-A';

/**
 * Loads the same files into a database of each side, and runs `work`. It uses only commands, because the code of another
 * commit may differ in everything else.
 * @param {{ base: string, now: string }} folders built checkouts
 * @param {(sides: { base: object, now: object }) => Promise<void>} work each side has `folder`, `cli`, the `url` of its
 *   database, and the `key` of a customer
 */
export async function onBothSides(server, folders, files, work) {
  const on = (folder, next) => onSide(server, folder, files, next);
  await on(folders.base, (base) => on(folders.now, (now) => work({ base, now })));
}

async function onSide(server, folder, files, work) {
  const cli = cliOf(folder);
  await server.withDatabase(async (url) => {
    const key = await load(cli, url, files).catch(({ message }) => {
      throw new ExpectedError(`${folder} cannot load the data set, so there is nothing to compare.\n${message}`);
    });
    await work({ folder, cli, url, key });
  }, cli);
}

/** @returns {Promise<string>} an API key of the customer */
async function load(cli, url, files) {
  await cli(url, 'import', files);
  return (await cli(url, 'key', 'issue', CUSTOMER)).output.trim();
}

/** Runs `measure` for each side in order. @returns {Promise<{ base, now }>} what it returned */
export async function inOrder(order, measure) {
  const found = {};
  for (const side of order) found[side] = await measure(side);
  return found;
}
