import { once } from 'node:events';
import { connect } from 'node:net';
import { tokenCall, tokenIn, call } from './support/http-call.js';
import { ServiceProcess } from './support/service-process.js';
import { A, smallCatalogue } from './support/small-catalogue.js';
import { TestDatabase } from './support/test-service.js';

const PATHS = ['/products', '/stock', '/prices'];
const TYPES = ['text/csv', 'application/x-ndjson', 'application/json', 'text/html'];
/** More than Node lets anybody listen to one thing without a warning. */
const MANY = 24;

let database: TestDatabase;
let service: ServiceProcess;
beforeAll(async () => {
  database = await TestDatabase.create();
  await database.load(smallCatalogue);
  service = ServiceProcess.start({ DATABASE_URL: database.url, DEMO_DATA: 'false' }, database.folder);
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

test('many requests on one connection, none of which waits for an answer, are answered in their order, and silently', async () => {
  const { url } = await service.ready();
  const token = tokenIn(await call(url, tokenCall(A, await database.cliOk('key', 'issue', A))));
  const asked = Array.from({ length: MANY }, (_, index) => [PATHS[index % 3]!, TYPES[index % 4]!] as const);
  const requests = asked.map(
    ([path, accept], index) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nAccept: ${accept}\r\nX-Request-Id: R${index}\r\n` +
      `${index === MANY - 1 ? 'Connection: close\r\n' : ''}\r\n`,
  );
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  let answered = '';
  socket.on('data', (text) => (answered += text)).write(requests.join(''));
  await once(socket, 'end');
  const heads = [...answered.matchAll(/HTTP\/1\.1 (\d+) .*\r\nX-Request-Id: (\w+)/g)];
  expect(heads.map(([, status, id]) => [id, status])).toEqual(
    asked.map(([, accept], index) => [`R${index}`, accept === 'text/html' ? '406' : '200']),
  );
  // Each body of unknown length ends as it should.
  expect(answered.match(/\r\n0\r\n\r\n/g)).toHaveLength((MANY * 3) / 4);
  expect(service.output).not.toMatch(/warning/i);
});
