// P8: the statements of a 304, from the general log of the database.
const DATA = /\b(?:from|join)\s+`?(?:products|product_\w+|prices|stock)\b/i;

/**
 * Sends each request with its validator while the database logs all statements.
 * @returns {Promise<{ rows: object, aims: object[] }>} no aim if the user may not switch the log on
 */
export async function countStatements({ server: { connection }, m, client }) {
  const headers = await m.service.token('BENCH-A');
  const calls = [];
  for (const path of ['products', 'stock', 'prices']) {
    const call = { url: `${m.service.url}/${path}`, headers };
    const { etag } = await client.ask('get', call);
    calls.push({ ...call, headers: { ...headers, 'if-none-match': etag } });
  }
  const statements = await logged(connection, new URL(m.url).pathname.slice(1), async () => {
    for (const call of calls) await client.ask('get', call);
  }).catch((error) => console.log(`P8, statements of a 304: not counted (${error.message})`));
  if (!statements) return { rows: {}, aims: [] };
  const ofData = statements.filter((statement) => DATA.test(statement)).length;
  return {
    rows: { 'a 304: statements of all kinds': { statements: statements.length / calls.length } },
    aims: [{ aim: 'P8', what: 'queries of catalogue tables for a 304', figure: ofData / calls.length, most: 0 }],
  };
}

/** The number of statements during `work` that read the catalogue; undefined if the user may not switch the log on. */
export async function catalogueQueries({ connection }, url, work) {
  const statements = await logged(connection, new URL(url).pathname.slice(1), work).catch(() => undefined);
  return statements?.filter((statement) => DATA.test(statement)).length;
}

/** The statements of a database's sessions during `work`. Restores the settings of the log. */
async function logged(connection, database, work) {
  const [[{ start, ...before }]] = await connection.query(
    'SELECT @@general_log AS general_log, @@log_output AS log_output, NOW(6) AS start',
  );
  await connection.query(`SET GLOBAL log_output = 'TABLE'`);
  try {
    await connection.query('SET GLOBAL general_log = 1');
    await work();
    await connection.query('SET GLOBAL general_log = 0');
    const [rows] = await connection.query(
      `SELECT CONVERT(argument USING utf8mb4) AS statement FROM mysql.general_log
       WHERE event_time >= ? AND command_type IN ('Query', 'Execute')
       AND thread_id IN (SELECT ID FROM information_schema.PROCESSLIST WHERE DB = ?)`,
      [start, database],
    );
    return rows.map(({ statement }) => statement);
  } finally {
    await connection.query('SET GLOBAL general_log = ?, GLOBAL log_output = ?', [
      before.general_log,
      before.log_output,
    ]);
  }
}
