// A typical delivery of stock: a stock.csv with 10,000 entries of a data set. Few of the entries changed.
import { writeFile } from './data-files.mjs';
import { SIZES, dataSet } from './data-set.mjs';

/** The number of entries of a delivery. */
export const ROWS = 10_000;
/** The number of entries that differ from the data set. */
export const CHANGED = 500;

/** Writes a stock.csv to a folder. @param quantity the quantity of the changed entries */
export async function writeDelivery(size, quantity, folder) {
  const stock = dataSet(size).find(({ name }) => name === 'stock');
  const every = (2 * SIZES[size]) / ROWS;
  await writeFile({ ...stock, rows: () => delivery(stock.rows(), every, quantity) }, folder);
}

/** Entries spread evenly over both warehouses. */
function* delivery(entries, every, quantity) {
  let taken = 0;
  let position = 0;
  for (const entry of entries)
    if (position++ >= taken * every) {
      yield taken % (ROWS / CHANGED) ? entry : { ...entry, AvailableQTY: String(quantity) };
      taken++;
    }
}
