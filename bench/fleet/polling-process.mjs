// The fleet: each customer polls with its own timers, token and validators. One process simulates all customers.
import { Agent, request } from 'node:http';
import { KEY } from '../keys.mjs';
import { serveTasks } from '../task-process.mjs';
import { EVERY, TOKEN_SECONDS } from './cadence.mjs';
import { codeOf } from './customers.mjs';

/** The speed at which a slow customer reads a response. */
const SLOW_BYTES_PER_SECOND = 20_000;

const agent = new Agent({ keepAlive: true, maxFreeSockets: 1_000 });
const customers = [];
let calls = {};
/** Simulated seconds per real second. */
let speed = 1;
/** The path that customers fetch stock from. */
let stockPath = 'stock';

serveTasks({ prepare, poll });

/**
 * Puts the customers into the state of a fleet in the morning: they have tokens of all ages and the latest stock, but
 * products and prices changed overnight. One customer in a hundred is slow.
 */
async function prepare({ url, count, terms, stockPath: path }) {
  stockPath = path;
  for (let number = 0; number < count; number++)
    customers.push({ url, code: codeOf(number), etags: {}, isSlow: number % 100 === 0 });
  await Promise.all(Array.from({ length: 32 }, (_, first) => tokensOf(customers.filter((_c, n) => n % 32 === first))));
  for (const [number, customer] of customers.entries())
    if (number < terms) await ask(customer, 'stock');
    else customer.etags = { ...customers[number % terms].etags };
  return {};
}

async function tokensOf(some) {
  for (const customer of some) await renew(customer);
}

/**
 * Lets all customers poll for some seconds.
 * @returns for each kind of request: the count, the bytes, the total of the seconds, and percentiles of the seconds
 */
async function poll({ seconds, ...options }) {
  ({ speed } = options);
  calls = {};
  const now = performance.now();
  const timers = new Set();
  for (const customer of customers) {
    customer.until = now + (Math.random() * TOKEN_SECONDS * 1000) / speed;
    for (const path of Object.keys(EVERY)) schedule(timers, customer, path, Math.random());
  }
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  for (const timer of timers) clearTimeout(timer);
  await Promise.allSettled(customers.map(({ last }) => last));
  return Object.fromEntries(Object.entries(calls).map(([kind, some]) => [kind, summary(some)]));
}

/** @param share the share of the usual interval until the next poll */
function schedule(timers, customer, path, share = 1) {
  const [least, most] = EVERY[path];
  const milliseconds = ((least + Math.random() * (most - least)) * share * 1000) / speed;
  const timer = setTimeout(() => {
    timers.delete(timer);
    schedule(timers, customer, path);
    customer.last = pollOnce(customer, path);
  }, milliseconds);
  timers.add(timer);
}

async function pollOnce(customer, path) {
  if (path !== 'api/version' && performance.now() > customer.until) await (customer.renewal ??= renew(customer));
  await ask(customer, path);
}

async function renew(customer) {
  const body = `grant_type=client_credentials&client_id=${customer.code}&client_secret=${KEY}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { status, text } = await call('token', `${customer.url}/auth/token`, { method: 'POST', headers }, body);
  customer.until = performance.now() + (TOKEN_SECONDS * 1000) / speed;
  customer.renewal = undefined;
  if (status === 200) customer.token = JSON.parse(text).access_token;
}

async function ask({ url, token, etags, isSlow }, resource) {
  const path = resource === 'stock' && etags.stock ? stockPath : resource;
  const headers = { 'accept-encoding': 'gzip', ...(etags[resource] && { 'if-none-match': etags[resource] }) };
  if (path !== 'api/version') headers.authorization = `Bearer ${token}`;
  const { status, etag } = await call(path, `${url}/${path}`, { headers, isSlow });
  if (status === 200 && etag) etags[resource] = etag;
}

/** While paused, unread bytes stay in the kernel's buffers, and then in the service. */
function pauseFor(response, seconds) {
  response.pause();
  setTimeout(() => response.resume(), seconds * 1000);
}

/** Sends and counts one request. A broken connection counts as the status `broken`. */
function call(name, url, { isSlow, ...options }, body) {
  const start = performance.now();
  return new Promise((resolve) => {
    const count = (status, bytes, rest) => {
      (calls[`${name} ${status}`] ??= []).push({ bytes, seconds: (performance.now() - start) / 1000 });
      resolve({ status, ...rest });
    };
    const broken = () => count('broken', 0);
    const sent = request(url, { agent, ...options }, (response) => {
      const { etag } = response.headers;
      let bytes = 0;
      let text = '';
      response.on('data', (piece) => {
        bytes += piece.length;
        const early = bytes / SLOW_BYTES_PER_SECOND - (performance.now() - start) / 1000;
        if (isSlow && early > 0.01) pauseFor(response, early);
        if (name === 'token') text += piece;
      });
      response.on('end', () => count(response.statusCode, bytes, { etag, text })).on('error', broken);
    });
    sent.on('error', broken).end(body);
  });
}

function summary(some) {
  const seconds = some.map((one) => one.seconds).toSorted((a, b) => a - b);
  const percentile = (share) => seconds[Math.floor(seconds.length * share)];
  const bytes = some.reduce((sum, one) => sum + one.bytes, 0);
  const total = seconds.reduce((sum, one) => sum + one, 0);
  return { count: some.length, bytes, total, p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) };
}
