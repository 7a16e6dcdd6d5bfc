import { validate } from 'dockerfile-utils';
import { DockerfileParser, type JSONInstruction } from 'dockerfile-ast';
import { chownSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readSettings } from '../../src/config/settings.js';
import type { Container } from '../support/container.js';
import { describeAsRoot } from '../support/describe-with.js';
import { Image } from '../support/image.js';
import { untilStatus } from '../support/until.js';

const PROJECT = resolve(__dirname, '../..');
const dockerfile = readFileSync(join(PROJECT, 'Dockerfile'), 'utf8');
const JWT_SECRET = 'a-secret-that-is-long-enough-for-tests';
const ANY_PORT = { PORT: '0', MANAGEMENT_PORT: '0' };

const instructions = DockerfileParser.parse(dockerfile).getInstructions();
const lastStage = instructions.slice(instructions.findLastIndex((one) => one.getKeyword() === 'FROM'));

describe('the Dockerfile', () => {
  test('builds without warnings', () => {
    expect(validate(dockerfile).map(({ range, message }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
  });

  test('uses the same base in both stages, with Node 24 and a release of Debian', () => {
    const bases = instructions.filter((one) => one.getKeyword() === 'FROM').map((one) => one.getArguments()[0]!);
    expect(new Set(bases.map((base) => base.getValue()))).toEqual(new Set(['node:24-bookworm-slim']));
  });

  test('runs no command in its last stage', () => {
    const keywords = new Set(lastStage.map((one) => one.getKeyword()));
    expect(keywords).toEqual(new Set(['FROM', 'ENV', 'WORKDIR', 'COPY', 'USER', 'EXPOSE', 'CMD']));
  });

  test('sets a numeric user other than root, and starts node without a shell', () => {
    expect(lastStage.findLast((one) => one.getKeyword() === 'USER')!.getArgumentsContent()).toMatch(
      /^[1-9]\d*:[1-9]\d*$/,
    );
    const command = lastStage.findLast((one) => one.getKeyword() === 'CMD') as JSONInstruction;
    expect(command.getJSONStrings()[0]?.getValue()).toBe('"node"');
  });
});

// The test mounts layers and starts a process 1 in its own root.
describeAsRoot('the image', () => {
  let image: Image;
  let volume: string;
  const started: Container[] = [];
  beforeAll(async () => void (image = await Image.build(dockerfile)), 600_000);
  beforeEach(() => {
    volume = mkdtempSync(join(tmpdir(), 'customer-data-volume-'));
    const [user, group] = image.user.split(':').map(Number);
    chownSync(volume, user!, group!);
  });
  afterEach(async () => {
    for (const container of started.splice(0)) await container.kill();
    rmSync(volume, { recursive: true, force: true });
  });
  afterAll(() => image?.remove());

  const run = (...args: Parameters<Image['run']>) => {
    const container = image.run(...args);
    started.push(container);
    return container;
  };
  const withVolume = (...command: string[]) =>
    run(
      { DATABASE_URL: 'sqlite:/mnt/customer-data.db', JWT_SECRET, ...ANY_PORT },
      command.length ? command : undefined,
      volume,
    );
  const cli = async (...args: string[]) => {
    const container = withVolume('node', 'dist/cli.js', ...args);
    return { code: await container.exit(), output: container.output };
  };

  test('contains only the service, its packages, the column maps and the demo data', () => {
    expect(readdirSync(image.layer)).toEqual(['app']);
    const app = join(image.layer, 'app');
    expect(readdirSync(app).toSorted()).toEqual(['demo', 'dist', 'mappings', 'node_modules', 'package.json']);
    const files = readdirSync(join(app, 'dist'), { recursive: true }) as string[];
    expect(files.filter((file) => /\.(map|spec\.js|ts|tsbuildinfo)$/.test(file))).toEqual([]);
    const lock = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as Lock;
    const development = Object.entries(lock.packages).filter(([, { dev }]) => dev);
    expect(development.length).toBeGreaterThan(100);
    expect(development.filter(([path]) => existsSync(join(app, path))).map(([path]) => path)).toEqual([]);
  });

  test('exposes the ports that the service listens on', () => {
    const { PORT, MANAGEMENT_PORT } = readSettings({});
    expect(image.ports).toEqual([`${PORT}`, `${MANAGEMENT_PORT}`]);
  });

  test('runs read-only as its user and as process 1, responds to probes, and exits with 0 on SIGTERM', async () => {
    const service = withVolume();
    const [, port, managementPort] = await service.printing(/Listening on port (\d+) \(public\) and (\d+)/);
    const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
    expect(status).toMatch(/^NSpid:.*\t1$/m);
    expect(status).toMatch(new RegExp(`^Uid:\t${image.user.split(':')[0]}\t`, 'm'));
    expect(readFileSync(`/proc/${service.pid}/mounts`, 'utf8')).toMatch(/^overlay \/ overlay ro,/m);
    expect((await fetch(`http://127.0.0.1:${managementPort}/livez`)).status).toBe(200);
    expect((await untilStatus(`http://127.0.0.1:${managementPort}/readyz`, 200)).status).toBe(200);
    expect(await (await fetch(`http://127.0.0.1:${port}/health`)).text()).toBe('Healthy');
    expect(await service.stop('SIGTERM')).toBe(0);
  });

  test('contains the commands', async () => {
    expect(await cli('--help')).toEqual({ code: 0, output: expect.stringContaining('Usage: customer-data') });
    expect((await cli('migrate')).code).toBe(0);
    cpSync(join(PROJECT, 'demo'), join(volume, 'files'), { recursive: true });
    expect(await cli('import', '/mnt/files')).toEqual({ code: 0, output: expect.stringContaining('products') });
    expect((await cli('customer', 'list')).output).toContain('DEMO-SHOP');
  });

  test('contains the column maps for imports', async () => {
    await cli('migrate');
    const { code, output } = await cli('import', 'missing.csv', '--map', 'mappings/magento2.yaml', '--dry-run');
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('missing.csv') });
    expect(output).not.toContain('magento2.yaml');
  });

  test('exits without a secret and a database, and names the missing settings', async () => {
    const service = run(ANY_PORT);
    expect(await service.exit()).toBe(1);
    for (const name of ['JWT_SECRET', 'DATABASE_URL'])
      expect(service.output).toContain(`${name} is required in production`);
  });

  test('stays unready without a reachable database, and names the setting', async () => {
    const DATABASE_URL = 'sqlite:data/customer-data.db';
    const service = run({ DATABASE_URL, JWT_SECRET, ...ANY_PORT });
    const [, managementPort] = await service.printing(/Listening on port \d+ \(public\) and (\d+)/);
    await service.printing(/The database of DATABASE_URL cannot be reached/);
    expect((await fetch(`http://127.0.0.1:${managementPort}/livez`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${managementPort}/readyz`)).status).toBe(503);
    await service.stop('SIGTERM');
    const migration = run({ DATABASE_URL }, ['node', 'dist/cli.js', 'migrate']);
    expect(await migration.exit()).toBe(1);
    expect(migration.output).toContain('DATABASE_URL');
  });
});

interface Lock {
  packages: Record<string, { dev?: boolean }>;
}
