// Fetches what has changed, with Node 20 or later and without packages. Set BASE_URL, CLIENT_ID and CLIENT_SECRET.
// The folder STATE holds the text of each element as it was received, one on each line. Numbers therefore stay exact,
// and equal elements are equal lines.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL, CLIENT_ID, CLIENT_SECRET, STATE = 'customer-data' } = process.env;
const ATTEMPTS = 6;
const PAUSE = 2; // seconds before the first retry
const API_VERSION = '2026-04'; // the API profile that this script expects
const ALLOW_REMOVALS = process.argv.includes('--allow-removals');
let token;

function stop(code, problem) {
  console.error(problem);
  process.exit(code);
}

/** Sends a request. Retries after 429, 5xx, a connection error or a truncated response. */
async function send(path, options) {
  for (let attempt = 1; ; attempt++) {
    let problem;
    let wait;
    try {
      const response = await fetch(BASE_URL + path, {
        ...options,
        redirect: 'manual',
        signal: AbortSignal.timeout(900_000),
      });
      const text = await response.text();
      problem = isTruncated(path, response, text) ? 'truncated' : `status ${response.status}`;
      if (response.status !== 429 && response.status < 500 && problem !== 'truncated') return { response, text };
      wait = Number(response.headers.get('Retry-After'));
    } catch (error) {
      problem = error.cause?.message ?? error.message;
    }
    if (attempt === ATTEMPTS) throw new Error(`${path}: gave up after ${attempt} attempts: ${problem}`);
    // Without Retry-After, wait about 2, 4, 8 … seconds. The random part spreads the retries of many clients.
    wait ||= PAUSE * 2 ** (attempt - 1) * (0.5 + Math.random());
    console.error(`${path}: ${problem}; retrying in ${wait.toFixed(1)} s`);
    await sleep(wait * 1000);
  }
}

/** True if the end of the response is missing. Some versions of fetch report no truncation. */
function isTruncated(path, { status, headers }, text) {
  if (status !== 200 || !isData(headers)) return false;
  if (path.endsWith('/changes')) return !text.endsWith('\n{"End":true}\n');
  const last = headers.get('X-Last-SKU');
  if (last === null || !text.endsWith('\n')) return last !== null || text !== '';
  return JSON.parse(text.split('\n').at(-2)).SKU !== decodeURIComponent(last);
}

const isData = (headers) => headers.get('Content-Type')?.startsWith('application/x-ndjson');

async function newToken() {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
  });
  const { response, text } = await send('/auth/token', { method: 'POST', body });
  if (response.status !== 200) throw new Error(`No token: ${response.status} ${text}`);
  return JSON.parse(text).access_token;
}

async function get(path, etag) {
  for (let renewed = false; ; renewed = true) {
    token ??= await newToken();
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/x-ndjson', 'If-None-Match': etag };
    const received = await send(path, { headers });
    if (received.response.status !== 401 || renewed) return received;
    token = undefined; // The token is no longer valid: request one new token.
  }
}

async function checkVersion() {
  const { response, text } = await get('/api/version', '');
  const [, found] = /"apiVersion":"([^"]*)"/.exec(text) ?? [];
  if (response.status !== 200 || !found) throw new Error(`/api/version: ${response.status} ${text}`);
  if (found === API_VERSION) return;
  const problem = `The service has API profile ${found}, but this script expects ${API_VERSION}.`;
  stop(20, `${problem} Read the changelog, then change API_VERSION.`);
}

/** Maps each SKU to its line. */
function bySku(text) {
  return new Map(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => [JSON.parse(line).SKU, line]),
  );
}

/** Applies a response of /changes to the old elements. A complete response replaces all of them. */
function applyChanges(old, text) {
  const [first, ...changes] = text.split('\n').slice(0, -1);
  const now = new Map(JSON.parse(first).Complete ? [] : old);
  for (const line of changes) {
    const { Changed, Gone } = JSON.parse(line);
    if (Changed) now.set(Changed.SKU, line.slice('{"Changed":'.length, -1));
    else now.delete(Gone);
  }
  return now;
}

async function sync(name) {
  const [file, tagFile] = [join(STATE, `${name}.ndjson`), join(STATE, `${name}.etag`)];
  const before = await readFile(file, 'utf8').catch(() => undefined);
  const etag = before === undefined ? '' : await readFile(tagFile, 'utf8').catch(() => '');
  const changes = await get(`/${name}/changes`, etag.trim());
  // An older release of the service has only whole responses.
  const isOlder = changes.response.status === 404;
  const { response, text } = isOlder ? await get(`/${name}`, etag.trim()) : changes;
  if (response.status === 304) return console.log(`${name}: unchanged`);
  // A 200 with a different Content-Type comes from a proxy and contains no products.
  if (response.status !== 200 || !isData(response.headers))
    throw new Error(`${name}: ${response.status}, ${response.headers.get('Content-Type')}: ${text}`);

  const old = bySku(before ?? '');
  const now = isOlder ? bySku(text) : applyChanges(old, text);
  const known = [...now].filter(([sku]) => old.has(sku));
  const changed = known.filter(([sku, line]) => old.get(sku) !== line);
  const [added, gone] = [now.size - known.length, old.size - known.length];
  if (gone && gone * 5 >= old.size && !ALLOW_REMOVALS) {
    const problem = `${name}: ${gone} of ${old.size} elements would disappear, so the stored data was kept.`;
    stop(21, `${problem} If they are really gone, run the script with --allow-removals.`);
  }
  console.log(`${name}: ${added} new, ${changed.length} changed, ${gone} gone, ${now.size} in all`);

  // This order is safe if the script is killed: the ETag file belongs to the stored data, or does not exist.
  await rm(tagFile, { force: true });
  await writeFile(`${file}.new`, [...now.values()].map((line) => `${line}\n`).join(''));
  await rename(`${file}.new`, file);
  await writeFile(tagFile, response.headers.get('ETag'));
}

await mkdir(STATE, { recursive: true });
await checkVersion();
for (const name of ['products', 'prices', 'stock']) await sync(name);
