// An HTTP client in its own process. It counts the bytes of bodies and discards them.
import autocannon from 'autocannon';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveTasks } from './task-process.mjs';

const agent = new Agent({ keepAlive: true, maxFreeSockets: 16 });

serveTasks({ get, series, atIntervals, downloads, hold, rate });

/**
 * Sends one request. Times are in seconds since it was sent, including the time of the first byte of the body.
 * @param options.form the body of a POST; without it, the request is a GET
 * @param options.bytesPerSecond the speed of reading the body; default: unlimited
 * @param options.most seconds after which the client disconnects; 0: at the first byte
 */
function get({ url, headers, form, bytesPerSecond = Infinity, most = Infinity }) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const elapsed = () => (performance.now() - start) / 1000;
    const call = request(url, optionsOf(headers, form), (response) => {
      const result = { status: response.statusCode, etag: response.headers.etag, bytes: 0 };
      const done = () => resolve({ ...result, seconds: elapsed() });
      response.on('data', ({ length }) => {
        result.firstByte ??= elapsed();
        result.bytes += length;
        if (elapsed() > most) return void call.destroy(done());
        const early = result.bytes / bytesPerSecond - elapsed();
        if (early > 0.01) pauseFor(response, early);
      });
      response.on('end', done).on('error', reject);
    });
    call.on('error', reject).end(form);
  });
}

function optionsOf(headers, form) {
  const ours = { 'accept-encoding': 'identity', ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) };
  return { agent, method: form ? 'POST' : 'GET', headers: { ...ours, ...headers } };
}

/** While paused, unread bytes stay in the kernel's buffers, and then in the service. */
function pauseFor(response, seconds) {
  response.pause();
  setTimeout(() => response.resume(), seconds * 1000);
}

/** Sends the same request `count` times, one after another. */
async function series({ count, ...options }) {
  const responses = [];
  for (let number = 0; number < count; number++) responses.push(await get(options));
  return responses;
}

/** Sends the same request at fixed intervals, without waiting for responses, so delayed requests are measured too. */
async function atIntervals({ milliseconds, seconds, ...options }) {
  const responses = [];
  const end = performance.now() + seconds * 1000;
  for (let due = performance.now(); due < end; due += milliseconds) {
    await sleep(Math.max(0, due - performance.now()));
    responses.push(get(options));
  }
  return Promise.all(responses);
}

/** Lets `clients` clients repeat the same request for some seconds. */
async function downloads({ clients, seconds, ...options }) {
  const end = performance.now() + seconds * 1000;
  const client = async () => {
    const responses = [];
    while (performance.now() < end) responses.push(await get(options));
    return responses;
  };
  return (await Promise.all(Array.from({ length: clients }, client))).flat();
}

/**
 * Holds a download for some seconds, and starts another one when the service aborts it.
 * @param options.bytesPerSecond the speed of reading the body; 0: reads nothing
 */
async function hold({ url, headers, bytesPerSecond, seconds }) {
  const { hostname, port, pathname } = new URL(url);
  const lines = Object.entries({ Host: hostname, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const end = performance.now() + seconds * 1000;
  for (let left; (left = end - performance.now()) > 0; await sleep(1000)) {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.pause().write(`GET ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`);
    const reading = setInterval(() => socket.read(Math.min(socket.readableLength, bytesPerSecond)), 1000);
    const timer = setTimeout(() => socket.destroy(), left);
    await new Promise((resolve) => socket.on('close', resolve));
    clearInterval(reading);
    clearTimeout(timer);
  }
}

/**
 * Requests per second over 32 connections. The client does not sleep between responses, because each response would
 * have to wake it. On a virtual machine, each wake-up takes about 25 µs of the server's time. A fast server finds the
 * client awake more often, so the ratio of two servers would depend on the machine.
 */
async function rate({ url, headers, seconds }) {
  let measuring = true;
  const stayAwake = () => void (measuring && setImmediate(stayAwake));
  stayAwake();
  try {
    const { requests, non2xx, errors } = await autocannon({ url, headers, connections: 32, duration: seconds });
    if (non2xx || errors) throw new Error(`${non2xx} responses other than 2xx, ${errors} errors`);
    return requests.average;
  } finally {
    measuring = false;
  }
}
