// Runs a command four times, with BASE_URL set to a proxy. The proxy truncates the first response for products,
// for prices and for stock, with or without /changes. It does so by FIN and by RST, with and without Connection: close.
// In each run, one response ends within an element, one between two elements, and one before the first element. Exits
// with 1 if the command fails, or if it does not fetch a truncated response again. Needs Node 20 or later, and no
// packages.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL } = process.env;
const [command, ...args] = process.argv.slice(2);
if (!BASE_URL || !command) throw new Error('Set BASE_URL, and run: node cut.mjs COMMAND [ARGUMENT…]');

const PATHS = ['/products', '/prices', '/stock'];
const PLACES = ['within an element', 'between elements', 'before the first element'];
const RUNS = ['FIN', 'RST'].flatMap((end) => ['keep-alive', 'close'].map((connection) => ({ end, connection })));
/** The end of an element in each format. */
const ENDS = {
  'application/json': /\}(?=,\{"(SKU|PriceListCode)":)/g,
  'application/x-ndjson': /\n/g,
  'text/csv': /(?:"[^"]*"|[^"])*?\r\n/g, // A cell in quotes may contain line breaks.
};
/** Headers that apply to one connection only. Node sets them on each side of the proxy. */
const CONNECTION_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding']);

let run;
/** Where to truncate the next response of a path. */
const places = new Map();
/** Paths that the command has not fetched again after the proxy truncated their response. */
const outstanding = new Set();

async function fetchWhole({ method, url, headers }, body, place) {
  const send = BASE_URL.startsWith('https:') ? httpsRequest : httpRequest;
  const { 'if-none-match': _, ...sent } = { ...headers, host: new URL(BASE_URL).host };
  // Only an uncompressed response can be truncated exactly between two elements.
  if (place && place !== PLACES[0]) sent['accept-encoding'] = 'identity';
  const request = send(BASE_URL + url, { method, headers: sent, agent: false }).end(body);
  const [response] = await once(request, 'response');
  return { response, content: await buffer(response) };
}

function lengthAt(place, content, type = '') {
  if (place === PLACES[0]) return content.length >> 1;
  if (place === PLACES[2]) return 0;
  const text = content.toString('latin1'); // Each character is one byte.
  const ends = [...text.matchAll(ENDS[type.split(';')[0]])].map(({ index, 0: end }) => index + end.length);
  return ends.findLast((end) => end <= text.length / 2) ?? 0;
}

async function truncate(outgoing, head, part) {
  outgoing.writeHead(200, [...head, 'Connection', run.connection]).flushHeaders();
  outgoing.write(part);
  await sleep(100); // A reset discards the bytes that the client has not received yet.
  if (run.end === 'FIN') outgoing.socket.end();
  else outgoing.socket.resetAndDestroy();
}

async function pass(incoming, outgoing) {
  const path = incoming.url.replace(/\/changes$/, '');
  const place = places.get(path);
  const { response, content } = await fetchWhole(incoming, await buffer(incoming), place);
  const { statusCode, headers, rawHeaders } = response;
  const head = rawHeaders.filter((_, index) => !CONNECTION_HEADERS.has(rawHeaders[index - (index % 2)].toLowerCase()));
  if (statusCode !== 200 || !place) {
    if (statusCode === 200) outstanding.delete(path);
    return outgoing.writeHead(statusCode, head).end(content);
  }
  places.delete(path);
  outstanding.add(path);
  return truncate(outgoing, head, content.subarray(0, lengthAt(place, content, headers['content-type'])));
}

const proxy = createServer((incoming, outgoing) => pass(incoming, outgoing).catch(() => outgoing.destroy()));
await once(proxy.listen(0, '127.0.0.1'), 'listening');
const env = { ...process.env, BASE_URL: `http://127.0.0.1:${proxy.address().port}` };

for (run of RUNS) {
  console.log(`${run.end}, Connection: ${run.connection}`);
  outstanding.clear();
  for (const [index, path] of PATHS.entries()) places.set(path, PLACES[(index + RUNS.indexOf(run)) % PLACES.length]);
  const [code] = await once(spawn(command, args, { env, stdio: 'inherit' }), 'close');
  if (outstanding.size) console.log(`Truncated, and not fetched again: ${[...outstanding].join(', ')}`);
  if (code !== 0) console.log(`Exit code ${code}`);
  if (outstanding.size || code !== 0) process.exitCode = 1;
}
proxy.close();
proxy.closeAllConnections();
