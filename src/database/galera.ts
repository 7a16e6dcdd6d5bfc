import type { Query } from './query.js';

/** The key of the row. No table has an empty name. */
const WRITER = '';

/**
 * Makes the transactions of two Galera nodes that call this conflict, whatever else they write: the first COMMIT wins, and
 * the other transaction fails. Named locks and row locks are local to a node, so an import of another node could change
 * rows that this transaction has read but does not write. Does nothing on servers outside a Galera cluster.
 */
export async function excludeOtherNodes(query: Query): Promise<void> {
  const [row] = await query(`SHOW GLOBAL VARIABLES LIKE 'wsrep_on'`);
  if (row?.Value !== 'ON') return;
  // The key stays locked until the transaction ends. Galera sends it to the other nodes, which compare it.
  await query('INSERT INTO imported_tables (TableName, ImportedAt) VALUES (?, ?)', [WRITER, '2000-01-01']);
  await query('DELETE FROM imported_tables WHERE TableName = ?', [WRITER]);
}
