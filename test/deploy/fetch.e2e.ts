import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describeWith } from '../support/describe-with.js';
import { freePort } from '../support/free-port.mjs';
import { until } from '../support/until.js';

const SCRIPT = resolve(__dirname, '../../deploy/components/fetch/fetch.sh');

/** By default, rclone tries again for 10 s if the key of the server is wrong. */
const ONE_ATTEMPT = { RCLONE_RETRIES: '1', RCLONE_LOW_LEVEL_RETRIES: '1' };

let folder: string;
let source: string;
let config: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'customer-data-fetch-'));
  [source, config] = ['source', 'config'].map((name) => join(folder, name)) as [string, string];
  mkdirSync(join(source, 'catalogue'), { recursive: true });
  mkdirSync(config);
  writeFileSync(join(source, 'stock.csv'), 'WarehouseCode,SKU,Quantity\nW,P,7\n');
  writeFileSync(join(source, 'catalogue/products.csv'), 'SKU,Status\nP,ACTIVE\n');
  writeFileSync(join(source, 'catalogue/prices.csv'), 'PriceListCode,SKU,Price\nL,P,1\n');
  write('stock.csv.sha256', sums('stock.csv'));
  write('catalogue.sha256', sums('catalogue/prices.csv', 'catalogue/products.csv'));
  writeFileSync(join(config, 'rclone.conf'), `[source]\ntype = alias\nremote = ${source}\n`);
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(source, name), text);
const sums = (...paths: string[]) => paths.map((path) => `${sha256(path)}  ${path}\n`).join('');
const sha256 = (path: string) =>
  createHash('sha256')
    .update(readFileSync(join(source, path)))
    .digest('hex');

/** Runs the script as the init container does: in an empty folder. */
function fetch(files: string, checksums = 'required') {
  const target = mkdtempSync(join(folder, 'imports-'));
  const env = { PATH: process.env.PATH, HOME: folder, FILES: files, CHECKSUMS: checksums, ...ONE_ATTEMPT };
  const { status, stdout, stderr } = spawnSync('sh', [SCRIPT, config], { cwd: target, env, encoding: 'utf8' });
  const fetched = readdirSync(target, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.csv'));
  return { status, output: stdout + stderr, fetched: fetched.toSorted() };
}

describeWith('rclone', 'deploy/components/fetch/fetch.sh (decision 188)', () => {
  test('fetches a file, or each file of a folder that the checksums name', () => {
    write('catalogue/stock.csv', 'unfinished');
    expect(fetch('stock.csv')).toMatchObject({ status: 0, fetched: ['stock.csv'] });
    const catalogue = ['catalogue/prices.csv', 'catalogue/products.csv'];
    expect(fetch('catalogue')).toMatchObject({ status: 0, fetched: catalogue });
    rmSync(join(source, 'catalogue.sha256'));
    expect(fetch('catalogue', 'none')).toMatchObject({ status: 0, fetched: [...catalogue, 'catalogue/stock.csv'] });
  });

  test.each<[string, () => void, string]>([
    ['a truncated file', () => truncateSync(join(source, 'catalogue/prices.csv'), 20), 'do not match catalogue.sha256'],
    ['a missing file', () => rmSync(join(source, 'catalogue/prices.csv')), 'do not match catalogue.sha256'],
    ['a new file with old checksums', () => write('catalogue/prices.csv', 'new'), 'do not match catalogue.sha256'],
    ['no checksums', () => rmSync(join(source, 'catalogue.sha256')), 'could not fetch it'],
    ['empty checksums', () => write('catalogue.sha256', ''), 'has no catalogue.sha256, or it is empty'],
    ['checksums without a path', () => write('catalogue.sha256', 'x\n'), 'do not match catalogue.sha256'],
    ['no remote', () => writeFileSync(join(config, 'rclone.conf'), ''), 'could not fetch it'],
  ])('fails on %s', (_, spoil, reason) => {
    spoil();
    const { status, output } = fetch('catalogue');
    expect(output).toContain('catalogue: nothing was imported: ');
    expect(output).toContain(reason);
    expect(status).toBe(1);
  });

  test('fetches from an SFTP server only with its key in known_hosts, whatever rclone.conf says', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const key = join(folder, 'host-key');
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    const port = await freePort();
    const options = ['--addr', `127.0.0.1:${port}`, '--key', key, '--user', 'erp', '--pass', 'secret', '--read-only'];
    const server = spawn('rclone', ['serve', 'sftp', source, ...options], {
      env: { PATH: process.env.PATH, HOME: folder },
    });
    try {
      let printed = '';
      server.stderr.on('data', (text) => (printed += text));
      await until('the SFTP server listens', () => /listening/i.test(printed));
      const password = execFileSync('rclone', ['obscure', 'secret'], { encoding: 'utf8' }).trim();
      const lines = ['type = sftp', 'host = 127.0.0.1', `port = ${port}`, 'user = erp', `pass = ${password}`];
      writeFileSync(join(config, 'rclone.conf'), ['[source]', ...lines, 'known_hosts_file =', ''].join('\n'));
      expect(fetch('stock.csv').output).toContain('known_hosts: no such file');
      const trust = (host: KeyObject) =>
        writeFileSync(join(config, 'known_hosts'), `[127.0.0.1]:${port} ssh-ed25519 ${sshKey(host)}\n`);
      trust(generateKeyPairSync('ed25519').publicKey);
      expect(fetch('stock.csv')).toMatchObject({
        status: 1,
        fetched: [],
        output: expect.stringContaining('key mismatch'),
      });
      trust(publicKey);
      expect(fetch('stock.csv')).toMatchObject({ status: 0, fetched: ['stock.csv'] });
    } finally {
      server.kill();
    }
  }, 60_000);
});

/** The key as in known_hosts: each of its two parts after its length (RFC 8709). */
function sshKey(key: KeyObject): string {
  const parts = [Buffer.from('ssh-ed25519'), Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url')];
  return Buffer.concat(parts.flatMap((part) => [Buffer.from([0, 0, 0, part.length]), part])).toString('base64');
}
