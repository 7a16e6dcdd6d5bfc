import { parse } from 'csv-parse/sync';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { importFiles } from '../support/import-files.js';
import { A, smallCatalogue } from '../support/small-catalogue.js';
import { TestService } from '../support/test-service.js';

const CUT = resolve(import.meta.dirname, '../../docs/integration/cut.mjs');
const PATHS = ['/products', '/prices', '/stock'];

/** A client that does not check whether a response is complete, and prints it. */
const CARELESS_CLIENT = `
  const { get } = require('node:http');
  const { BASE_URL, TOKEN, ACCEPT } = process.env;
  const headers = { Authorization: 'Bearer ' + TOKEN, Accept: ACCEPT };
  const receive = (path) => new Promise((resolve) => {
    let text = '';
    const request = get(BASE_URL + path, { headers }, (response) => {
      response.setEncoding('utf8').on('data', (part) => (text += part)).on('error', () => {});
      response.on('close', () => resolve({ path, text, connection: response.headers.connection }));
    });
    request.on('error', () => {});
  });
  (async () => {
    for (const path of ${JSON.stringify(PATHS)}) console.log(JSON.stringify(await receive(path)));
  })();
`;

interface Received {
  path: string;
  text: string;
  connection: string;
}

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await TestService.start();
  await service.database.load(smallCatalogue);
  // The middle of the CSV response is within this cell, because the cell has many lines.
  await service.database.load(importFiles({ 'products.csv': [['FIXED', 'Feather', 'A "line"\r\n'.repeat(200)]] }));
  token = await service.token(A);
});
afterAll(() => service.close());

/** Runs cut.mjs with the careless client. @returns its exit code and output */
function cut(accept: string): Promise<{ code: number; stdout: string }> {
  const env = { PATH: process.env.PATH, BASE_URL: service.url, TOKEN: token, ACCEPT: accept };
  return new Promise((done) => {
    const args = [CUT, process.execPath, '-e', CARELESS_CLIENT];
    execFile(process.execPath, args, { env }, (error, stdout) => done({ code: Number(error?.code ?? 0), stdout }));
  });
}

const ELEMENTS: [format: string, elementsOf: (text: string) => unknown[]][] = [
  ['application/json', (text) => JSON.parse(`${text}]`) as unknown[]],
  ['application/x-ndjson', (text) => text.match(/.+\n/g)!.map((line) => JSON.parse(line) as unknown)],
  ['text/csv', (text) => parse(text, { columns: true })],
];

describe.each(ELEMENTS)('cut.mjs with %s (decision 115)', (format, elementsOf) => {
  let code: number;
  let stdout: string;
  /** By run, then by path. */
  let runs: Received[][];
  beforeAll(async () => {
    ({ code, stdout } = await cut(format));
    const received = stdout.split('\n').filter((line) => line.startsWith('{'));
    const all = received.map((line) => JSON.parse(line) as Received);
    runs = [0, 3, 6, 9].map((first) => all.slice(first, first + 3));
  });

  test('fails and names the paths that the client has not fetched again', () => {
    expect(code).toBe(1);
    const verdicts = stdout.split('\n').filter((line) => line && !line.startsWith('{'));
    const verdict = `Truncated, and not fetched again: ${PATHS.join(', ')}`;
    const ways = ['FIN', 'RST'].flatMap((end) => ['keep-alive', 'close'].map((how) => `${end}, Connection: ${how}`));
    expect(verdicts).toEqual(ways.flatMap((way) => [way, verdict]));
  });

  test('sends the header Connection that it names', () => {
    const connections = runs.map((run) => [...new Set(run.map(({ connection }) => connection))]);
    expect(connections).toEqual([['keep-alive'], ['close'], ['keep-alive'], ['close']]);
  });

  test('truncates every path within an element, between two elements, and before the first', async () => {
    for (const [index, path] of PATHS.entries()) {
      const whole = await fetch(service.url + path, { headers: { Authorization: `Bearer ${token}`, Accept: format } });
      const text = await whole.text();
      const [within, between, before] = [0, 1, 2].map((place) => runs[(place - index + 3) % 3]![index]!.text);
      expect(Buffer.byteLength(within!)).toBe(Buffer.byteLength(text) >> 1);
      expect(text.startsWith(between!)).toBe(true);
      const all = elementsOf(text.replace(/\]$/, ''));
      expect(elementsOf(between!)).toEqual(all.slice(0, elementsOf(between!).length));
      expect(elementsOf(between!).length).toBeLessThan(all.length);
      expect(before).toBe('');
    }
  });
});
