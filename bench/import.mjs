// Compares the import with hand-written inserts of the same rows. Each run uses a new database on the same server.
import mysql from 'mysql2/promise';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runCli } from './command.mjs';
import { writeFiles } from './data-files.mjs';
import { dataSet } from './data-set.mjs';
import { reportImport } from './import-report.mjs';
import { insertRows } from './inserts.mjs';
import { measureOnNodes } from './on-nodes.mjs';
import { withServer } from './server.mjs';
import { CHANGED, writeDelivery } from './stock-delivery.mjs';

/** One number for each delivery of stock: the quantity of its changed entries. */
const DELIVERIES = [900_001, 900_002, 900_003];

/** @param {{ size: 'M' | 'Q' | 'L', quick: boolean, folder: string }} options also those of `measureOnNodes` */
export async function measureImport({ size, quick, folder, ...options }) {
  const sizes = [...new Set(['M', size])];
  await withServer((server) => measureOnNodes(server, 'import', { quick, ...options }, { sizes, folder, quick }));
}

/** @returns {Promise<{ rows: object, aims: object[] }>} */
export async function compareImports(server, { sizes, folder, quick }) {
  const found = {};
  for (const size of sizes)
    found[size] = await compare(server, size, join(folder, size), quick || size !== 'M' ? 2 : 3);
  return reportImport(found);
}

async function compare(server, size, folder, pairs) {
  await writeFiles(size, folder);
  for (const quantity of DELIVERIES) await writeDelivery(size, quantity, join(folder, String(quantity)));
  const { inserts, imports } = await inPairs(server, size, folder, pairs);
  const [{ contents }, ...others] = [...inserts, ...imports];
  for (const other of others)
    assert.deepEqual(other.contents, contents, 'the import and the inserts stored different rows');
  return { rows: Object.values(contents).reduce((sum, { total }) => sum + total, 0), inserts, imports };
}

/** Every second pair starts with the import, so that neither is always second. */
async function inPairs(server, size, folder, pairs) {
  const inserts = [];
  const imports = [];
  const insert = async () => inserts.push(await server.withDatabase((url) => insertAll(url, size)));
  const load = async () => imports.push(await server.withDatabase((url) => importAll(url, size, folder)));
  for (let pair = 0; pair < pairs; pair++) {
    for (const step of pair % 2 ? [load, insert] : [insert, load]) await step();
    const [byInserts, byImport] = [inserts[pair].seconds, imports[pair].first.seconds].map((seconds) =>
      seconds.toFixed(2),
    );
    console.log(`Pair ${pair + 1} of ${pairs}: inserts ${byInserts} s, import ${byImport} s`);
  }
  return { inserts, imports };
}

async function insertAll(url, size) {
  const tables = await insertRows(url, size);
  const seconds = Object.values(tables).reduce((sum, part) => sum + part);
  return { seconds, tables, contents: await contentsOf(url, size) };
}

/** Imports the files into an empty database, then the same files again, then the deliveries of stock. */
async function importAll(url, size, folder) {
  const nothing = await runCli(url, 'migrate');
  const help = await runCli(url, '--help');
  const first = await runCli(url, 'import', folder);
  const again = await runCli(url, 'import', folder);
  const contents = await contentsOf(url, size);
  const deliveries = [];
  for (const quantity of DELIVERIES) {
    deliveries.push(await runCli(url, 'import', join(folder, String(quantity))));
    const [{ changed }] = await query(url, `SELECT COUNT(*) AS changed FROM stock WHERE AvailableQTY = ${quantity}`);
    assert.equal(changed, CHANGED, 'a delivery of stock was not imported');
  }
  return { nothing, help, first, again, deliveries, contents };
}

/** The number of rows and the checksum of each table. */
async function contentsOf(url, size) {
  const contents = {};
  for (const { name } of dataSet(size)) {
    const [{ total }] = await query(url, `SELECT COUNT(*) AS total FROM ${name}`);
    const [{ Checksum: checksum }] = await query(url, `CHECKSUM TABLE ${name}`);
    contents[name] = { total, checksum };
  }
  return contents;
}

async function query(url, sql) {
  const connection = await mysql.createConnection(url);
  const [rows] = await connection.query(sql);
  await connection.end();
  return rows;
}
