// A client, in a process of its own. Bodies are counted and dropped.
import autocannon from 'autocannon';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveTasks } from './task-process.mjs';

const agent = new Agent({ keepAlive: true, maxFreeSockets: 16 });

serveTasks({ get, series, steadily, downloads, hold, rate });

/**
 * One request. Times are in seconds from when it is sent, that of the first byte of the body among them.
 * @param options.form what is posted; none: it is a GET
 * @param options.bytesPerSecond how fast the body is taken; none: as fast as it comes
 * @param options.most seconds after which the client leaves; 0: with the first byte
 */
function get({ url, headers, form, bytesPerSecond = Infinity, most = Infinity }) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const sofar = () => (performance.now() - start) / 1000;
    const call = request(url, optionsOf(headers, form), (response) => {
      const result = { status: response.statusCode, etag: response.headers.etag, bytes: 0 };
      const done = () => resolve({ ...result, seconds: sofar() });
      response.on('data', ({ length }) => {
        result.firstByte ??= sofar();
        result.bytes += length;
        if (sofar() > most) return void call.destroy(done());
        const early = result.bytes / bytesPerSecond - sofar();
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

/** What has not been taken stays with the kernel, and then with the service. */
function pauseFor(response, seconds) {
  response.pause();
  setTimeout(() => response.resume(), seconds * 1000);
}

/** So many of the same request, one after the other. */
async function series({ count, ...options }) {
  const responses = [];
  for (let number = 0; number < count; number++) responses.push(await get(options));
  return responses;
}

/** The same request at even times, whether or not the one before was answered: who is kept waiting is not left out. */
async function steadily({ milliseconds, seconds, ...options }) {
  const responses = [];
  const end = performance.now() + seconds * 1000;
  for (let due = performance.now(); due < end; due += milliseconds) {
    await sleep(Math.max(0, due - performance.now()));
    responses.push(get(options));
  }
  return Promise.all(responses);
}

/** So many clients that ask again and again. */
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
 * Holds a download for some seconds, and begins another one when the service aborts it.
 * @param options.bytesPerSecond how fast the body is taken; 0: not at all
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

/** Requests per second over 32 connections. */
async function rate({ url, seconds }) {
  const { requests, non2xx, errors } = await autocannon({ url, connections: 32, duration: seconds });
  if (non2xx || errors) throw new Error(`${non2xx} refusals, ${errors} errors`);
  return requests.average;
}
