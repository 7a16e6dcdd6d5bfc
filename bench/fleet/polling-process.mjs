// The fleet: customers that poll, each by clocks, a token and validators of its own. One process plays them all.
import { Agent, request } from 'node:http';
import { KEY } from '../keys.mjs';
import { serveTasks } from '../task-process.mjs';
import { EVERY, TOKEN_SECONDS } from './cadence.mjs';
import { codeOf } from './customers.mjs';

/** How fast a slow customer takes a response. */
const SLOW_BYTES_PER_SECOND = 20_000;

const agent = new Agent({ keepAlive: true, maxFreeSockets: 1_000 });
const customers = [];
let calls = {};
/** Simulated seconds in a second. */
let speed = 1;

serveTasks({ prepare, poll });

/**
 * Brings the customers to where a fleet is in the morning: they have tokens of all ages and the last stock, while products
 * and prices have changed at night. One customer of a hundred is slow.
 */
async function prepare({ url, count, terms }) {
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
 * All poll for so many seconds.
 * @returns of each kind of call how many there were, their bytes, their seconds in all, and percentiles of the seconds that they took
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

/** @param share how much of the usual time is left until then */
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

async function ask({ url, token, etags, isSlow }, path) {
  const headers = { 'accept-encoding': 'gzip', ...(etags[path] && { 'if-none-match': etags[path] }) };
  if (path !== 'api/version') headers.authorization = `Bearer ${token}`;
  const { status, etag } = await call(path, `${url}/${path}`, { headers, isSlow });
  if (status === 200 && etag) etags[path] = etag;
}

/** What has not been taken stays with the kernel, and then with the service. */
function pauseFor(response, seconds) {
  response.pause();
  setTimeout(() => response.resume(), seconds * 1000);
}

/** One request, which is counted. What breaks off counts as such. */
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
