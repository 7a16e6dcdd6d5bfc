import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { type Certificate, makeCertificate } from '../../test/support/certificate.js';
import { readSettings } from '../config/settings.js';
import { encryption } from './encryption.js';

const folder = mkdtempSync(join(tmpdir(), 'encryption-'));
const [certificate, key] = [join(folder, 'certificate'), join(folder, 'key')];
const settings = () =>
  readSettings({ DATABASE_URL: 'mysql://h/d', DATABASE_CERTIFICATE_FILE: certificate, DATABASE_KEY_FILE: key });
let first: Certificate;
let second: Certificate;
let server: Server;

beforeAll(async () => {
  [first, second] = await Promise.all([makeCertificate(), makeCertificate()]);
  server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
  for (const one of [first, second]) one.remove();
});

function write(ofCertificate: Certificate, ofKey: Certificate): void {
  copyFileSync(ofCertificate.certificate, certificate);
  copyFileSync(ofKey.key, key);
}

test('connections use renewed files as soon as they are valid (decision 187)', () => {
  write(first, first);
  const { ssl, stream } = encryption(settings())!;
  const log = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  const connect = () => {
    stream({ config: { host: '127.0.0.1', port: (server.address() as AddressInfo).port } }).on(
      'error',
      () => undefined,
    );
    return [first, second].findIndex((one) => readFileSync(one.certificate, 'utf8') === ssl.cert);
  };
  expect(connect()).toBe(0);
  write(second, first);
  expect([connect(), connect()]).toEqual([0, 0]);
  writeFileSync(certificate, '');
  expect(connect()).toBe(0);
  expect(log.mock.calls.map(([line]) => String(line))).toEqual([
    expect.stringMatching(/previous certificate.*DATABASE_KEY_FILE must name the key of the first certificate/),
    expect.stringMatching(/previous certificate.*DATABASE_CERTIFICATE_FILE must name a file of certificates/),
  ]);
  write(second, second);
  expect(connect()).toBe(1);
  expect(ssl.key).toBe(readFileSync(second.key, 'utf8'));
  log.mockRestore();
});

test('without DATABASE_TLS, connections are not encrypted', () => {
  expect(encryption(readSettings({ DATABASE_URL: 'mysql://h/d' }))).toBeUndefined();
});
