import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const PROJECT = resolve(__dirname, '../..');

/** What a registry says about a package that has one version. */
const packument = (name: string) => JSON.stringify({ name, versions: { '1.1.1': { name, version: '1.1.1' } } });

describe('npm run test:audit', () => {
  let server: Server;
  let advisories: object | undefined;
  /** npm caches advisories. */
  let cache: string;
  beforeEach(() => void (cache = mkdtempSync(join(tmpdir(), 'customer-data-audit-'))));
  afterEach(() => rmSync(cache, { recursive: true }));
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      if (request.method === 'POST') response.writeHead(advisories ? 200 : 405).end(JSON.stringify(advisories));
      else response.end(packument(decodeURIComponent(request.url!.slice(1))));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  const audit = async (env: Record<string, string> = {}) => {
    const registry = `--registry=http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = { cwd: PROJECT, env: { ...process.env, ...env } };
    const run = promisify(execFile)(
      'node',
      ['test/audit.mjs', registry, '--fetch-retries=0', `--cache=${cache}`],
      options,
    );
    const { code = 0, stdout, stderr } = await run.catch((error) => error);
    return { code, stdout, stderr };
  };

  test.each(['critical', 'moderate'])('fails only for a high or critical vulnerability: %s', async (severity) => {
    const advisory = { id: 1, url: 'https://example.com/1', title: 'Injection', severity, vulnerable_versions: '<9' };
    advisories = { typeorm: [{ ...advisory, cwe: [], cvss: { score: 0, vectorString: null } }] };
    const { code, stdout, stderr } = await audit();
    const isBad = severity !== 'moderate';
    expect({ code, stdout }).toEqual({
      code: isBad ? 1 : 0,
      stdout: expect.stringMatching(isBad ? / [1-9] with a high/ : / 0 with a high/),
    });
    if (isBad) expect(stderr).toContain(`: ${severity}: Injection (https://example.com/1)`);
  });

  test('prints NOT RUN if the registry has no advisories, and fails only if the audit is required', async () => {
    advisories = undefined;
    const message = expect.stringMatching(/^NOT RUN: the audit of packages: 405 /);
    expect(await audit()).toEqual({ code: 0, stdout: '', stderr: message });
    expect(await audit({ REQUIRE_AUDIT: '1' })).toEqual({ code: 1, stdout: '', stderr: message });
  });
});
