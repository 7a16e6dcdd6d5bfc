// Nightly sync with Node 20 or later, without packages. Needs BASE_URL, CLIENT_ID, CLIENT_SECRET; keeps its state in the
// folder STATE. Elements are kept as the text that came, a line each: numbers stay exact, and equal lines are equal.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL, CLIENT_ID, CLIENT_SECRET, STATE = 'customer-data' } = process.env;
const ATTEMPTS = 6;
let token;

/** Sends until there is an answer that another try would not mend. One that was cut is none: reading it throws. */
async function send(path, options) {
  for (let attempt = 1; ; attempt++) {
    let problem;
    let wait;
    try {
      const response = await fetch(BASE_URL + path, { ...options, signal: AbortSignal.timeout(900_000) });
      const text = await response.text();
      if (response.status !== 429 && response.status < 500) return { response, text };
      problem = `status ${response.status}`;
      wait = Number(response.headers.get('Retry-After'));
    } catch (error) {
      problem = error.cause?.message ?? error.message;
    }
    if (attempt === ATTEMPTS) throw new Error(`${path}: given up after ${attempt} attempts, the last one: ${problem}`);
    // Without a number of seconds: 2, 4, 8 … seconds, and a bit by chance, so that not all come back at once.
    wait ||= 2 ** attempt * (0.5 + Math.random());
    console.error(`${path}: ${problem}; again in ${wait.toFixed(1)} s`);
    await sleep(wait * 1000);
  }
}

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
    const answer = await send(path, { headers });
    if (answer.response.status !== 401 || renewed) return answer;
    token = undefined; // It has expired: a new one, once.
  }
}

/** Lines by SKU. */
function bySku(text) {
  return new Map(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => [JSON.parse(line).SKU, line]),
  );
}

async function sync(name) {
  const [file, tagFile] = [join(STATE, `${name}.ndjson`), join(STATE, `${name}.etag`)];
  const before = await readFile(file, 'utf8').catch(() => undefined);
  const etag = before === undefined ? '' : await readFile(tagFile, 'utf8').catch(() => '');
  const { response, text } = await get(`/${name}`, etag.trim());
  if (response.status === 304) return console.log(`${name}: unchanged`);
  // Something in between may answer in good order, and what it says is no product.
  const type = response.headers.get('Content-Type') ?? 'no type';
  if (response.status !== 200 || !type.startsWith('application/x-ndjson'))
    throw new Error(`${name}: ${response.status}, ${type}: ${text}`);

  const [old, now] = [bySku(before ?? ''), bySku(text)];
  const known = [...now].filter(([sku]) => old.has(sku));
  const changed = known.filter(([sku, line]) => old.get(sku) !== line);
  const [added, gone] = [now.size - known.length, old.size - known.length];
  console.log(`${name}: ${added} new, ${changed.length} changed, ${gone} gone, ${now.size} in all`);

  // In this order the tag never speaks of another file than the one beside it, whenever this is killed.
  await rm(tagFile, { force: true });
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
  await writeFile(tagFile, response.headers.get('ETag'));
}

await mkdir(STATE, { recursive: true });
for (const name of ['products', 'prices', 'stock']) await sync(name);
