// A stock.csv as it comes many times a day: 10,000 entries of a data set, of which few changed.
import { writeFile } from './data-files.mjs';
import { SIZES, dataSet } from './data-set.mjs';

/** How many entries a delivery has. */
export const ROWS = 10_000;
/** How many entries of a delivery differ from the data set. */
export const CHANGED = 500;

/** Writes a stock.csv to a folder of its own. @param quantity what the changed entries come to */
export async function writeDelivery(size, quantity, folder) {
  const stock = dataSet(size).find(({ name }) => name === 'stock');
  const every = (2 * SIZES[size]) / ROWS;
  await writeFile({ ...stock, rows: () => delivery(stock.rows(), every, quantity) }, folder);
}

/** Entries from all over both warehouses. */
function* delivery(entries, every, quantity) {
  let taken = 0;
  let position = 0;
  for (const entry of entries)
    if (position++ >= taken * every) {
      yield taken % (ROWS / CHANGED) ? entry : { ...entry, AvailableQTY: String(quantity) };
      taken++;
    }
}
