// The fleet: customers that poll, each by clocks, a token and validators of its own. One process plays them all.
import { Agent, request } from 'node:http';
import { KEY } from '../keys.mjs';
import { serveTasks } from '../task-process.mjs';
import { EVERY, TOKEN_SECONDS } from './cadence.mjs';
import { codeOf, TERMS } from './customers.mjs';

const agent = new Agent({ keepAlive: true, maxFreeSockets: 1_000 });
const customers = [];
let calls = {};
/** Simulated seconds in a second. */
let speed = 1;

serveTasks({ prepare, poll });

/** Brings the customers to where a fleet is after some days: they have tokens of all ages, and the answers of today. */
async function prepare({ url, count }) {
  for (let number = 0; number < count; number++) customers.push({ url, code: codeOf(number), etags: {} });
  await Promise.all(Array.from({ length: 32 }, (_, first) => tokensOf(customers.filter((_c, n) => n % 32 === first))));
  for (const [number, customer] of customers.entries())
    if (number < TERMS) for (const path of ['products', 'prices', 'stock']) await ask(customer, path);
    else customer.etags = { ...customers[number % TERMS].etags };
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
    customer.last = turn(customer, path);
  }, milliseconds);
  timers.add(timer);
}

async function turn(customer, path) {
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

async function ask({ url, token, etags }, path) {
  const headers = { 'accept-encoding': 'gzip', ...(etags[path] && { 'if-none-match': etags[path] }) };
  if (path !== 'api/version') headers.authorization = `Bearer ${token}`;
  const { status, etag } = await call(path, `${url}/${path}`, { headers });
  if (status === 200 && etag) etags[path] = etag;
}

/** One request, which is counted. What breaks off counts as such. */
function call(name, url, options, body) {
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
