// The import beside hand-written inserts of the same rows, on one server, each run in a fresh database.
import mysql from 'mysql2/promise';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from './command.mjs';
import { writeFiles } from './data-files.mjs';
import { dataSet } from './data-set.mjs';
import { reportImport } from './import-report.mjs';
import { insertRows } from './inserts.mjs';
import { withServer } from './server.mjs';
import { CHANGED, writeDelivery } from './stock-delivery.mjs';

/** A delivery of stock each, with the quantity that its changed entries come to. */
const DELIVERIES = [900_001, 900_002, 900_003];

/** @param {{ size: 'M' | 'L', quick: boolean }} options */
export async function measureImport({ size, quick }) {
  const folder = mkdtempSync(join(tmpdir(), 'customer-data-bench-'));
  try {
    await withServer((server) => compare(server, size, folder, quick ? 2 : 3));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(server, size, folder, pairs) {
  await writeFiles(size, folder);
  for (const quantity of DELIVERIES) await writeDelivery(size, quantity, join(folder, String(quantity)));
  const { inserts, imports } = await inPairs(server, size, folder, pairs);
  const [{ contents }, ...others] = [...inserts, ...imports];
  for (const other of others) assert.deepEqual(other.contents, contents, 'import and inserts left different rows');
  const ofM = size === 'M' ? undefined : await importOfM(server, join(folder, 'M'));
  reportImport({ size, contents, inserts, imports, ofM });
}

/** Every second pair begins with the import, so that neither always comes second. */
async function inPairs(server, size, folder, pairs) {
  const inserts = [];
  const imports = [];
  const insert = async () => inserts.push(await server.withDatabase((url) => insertAll(url, size)));
  const load = async () => imports.push(await server.withDatabase((url) => importAll(url, size, folder)));
  for (let pair = 0; pair < pairs; pair++) {
    for (const step of pair % 2 ? [load, insert] : [insert, load]) await step();
    const [byHand, byUs] = [inserts[pair].seconds, imports[pair].first.seconds].map((seconds) => seconds.toFixed(2));
    console.log(`Pair ${pair + 1} of ${pairs}: inserts ${byHand} s, import ${byUs} s`);
  }
  return { inserts, imports };
}

async function insertAll(url, size) {
  const tables = await insertRows(url, size);
  const seconds = Object.values(tables).reduce((sum, part) => sum + part);
  return { seconds, tables, contents: await contentsOf(url, size) };
}

/** The files into an empty database, then the same files again, then the deliveries of stock. */
async function importAll(url, size, folder) {
  const nothing = await runCli(url, 'migrate');
  const first = await runCli(url, 'import', folder);
  const again = await runCli(url, 'import', folder);
  const contents = await contentsOf(url, size);
  const deliveries = [];
  for (const quantity of DELIVERIES) {
    deliveries.push(await runCli(url, 'import', join(folder, String(quantity))));
    const [{ changed }] = await ask(url, `SELECT COUNT(*) AS changed FROM stock WHERE AvailableQTY = ${quantity}`);
    assert.equal(changed, CHANGED, 'a delivery of stock was not imported');
  }
  return { nothing, first, again, deliveries, contents };
}

async function importOfM(server, folder) {
  await writeFiles('M', folder);
  return server.withDatabase((url) => runCli(url, 'import', folder));
}

/** Of each table, how many rows it holds and their checksum. */
async function contentsOf(url, size) {
  const contents = {};
  for (const { name } of dataSet(size)) {
    const [{ total }] = await ask(url, `SELECT COUNT(*) AS total FROM ${name}`);
    const [{ Checksum: checksum }] = await ask(url, `CHECKSUM TABLE ${name}`);
    contents[name] = { total, checksum };
  }
  return contents;
}

async function ask(url, sql) {
  const connection = await mysql.createConnection(url);
  const [rows] = await connection.query(sql);
  await connection.end();
  return rows;
}
