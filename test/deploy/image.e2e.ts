import { validate } from 'dockerfile-utils';
import { DockerfileParser, type JSONInstruction } from 'dockerfile-ast';
import { createConnection } from 'mysql2/promise';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readSettings } from '../../src/config/settings.js';
import { type Certificate, makeCertificate } from '../support/certificate.js';
import type { Container } from '../support/container.js';
import { describeAsRoot, describeWith } from '../support/describe-with.js';
import { Image } from '../support/image.js';
import { startPrivateServer } from '../support/private-server.mjs';
import { findServerProgram } from '../support/programs.mjs';
import { START_OPTIONS } from '../support/start-options.js';
import { untilStatus } from '../support/until.js';

const PROJECT = resolve(__dirname, '../..');
const dockerfile = readFileSync(join(PROJECT, 'Dockerfile'), 'utf8');
const JWT_SECRET = 'a-secret-that-is-long-enough-for-tests';
const ANY_PORT = { PORT: '0', MANAGEMENT_PORT: '0' };
const MOST_MEGABYTES = 30;

const lock = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as Lock;

const instructions = DockerfileParser.parse(dockerfile).getInstructions();
const lastStage = instructions.slice(instructions.findLastIndex((one) => one.getKeyword() === 'FROM'));

describe('the Dockerfile', () => {
  test('builds without warnings', () => {
    expect(validate(dockerfile).map(({ range, message }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
  });

  test('uses one base for all stages: Node 24 on a release of Debian, by digest', () => {
    const bases = instructions.filter((one) => one.getKeyword() === 'FROM').map((one) => one.getArguments()[0]!);
    expect(bases.map((base) => base.getValue())).toEqual([
      expect.stringMatching(/^node:24-bookworm-slim@sha256:[\da-f]{64}$/),
      'base',
      'base',
    ]);
  });

  test('runs no command in its last stage', () => {
    const keywords = new Set(lastStage.map((one) => one.getKeyword()));
    expect(keywords).toEqual(new Set(['FROM', 'ENV', 'WORKDIR', 'COPY', 'USER', 'EXPOSE', 'CMD']));
  });

  test('sets a numeric user other than root, and starts node without a shell, as npm start does', () => {
    expect(lastStage.findLast((one) => one.getKeyword() === 'USER')!.getArgumentsContent()).toMatch(
      /^[1-9]\d*:[1-9]\d*$/,
    );
    const command = lastStage.findLast((one) => one.getKeyword() === 'CMD') as JSONInstruction;
    const words = command.getJSONStrings().map((one) => JSON.parse(one.getValue()) as string);
    expect(words).toEqual(['node', ...START_OPTIONS, 'dist/main.js']);
  });
});

// The test mounts layers and starts a process 1 in its own root.
describeAsRoot('the installation of packages in the Dockerfile', () => {
  const upToInstallation = dockerfile.slice(0, dockerfile.indexOf('COPY build.mjs'));
  let folder: string;
  let authority: Certificate;
  let registry: Server;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'customer-data-registry-'));
    const context = join(folder, 'context');
    mkdirSync(context);
    authority = await makeCertificate();
    const tarball = packedPackage(folder);
    const key = readFileSync(authority.key);
    registry = createServer({ key, cert: readFileSync(authority.certificate) }, (request, response) => {
      const url = `https://${request.headers.host}`;
      const versions = { '1.0.0': { name: 'only', version: '1.0.0', dist: { tarball: `${url}/only.tgz` } } };
      response.end(request.url === '/only' ? JSON.stringify({ name: 'only', versions }) : tarball);
    });
    await once(registry.listen(0, '127.0.0.1'), 'listening');
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    const dependencies = { only: '1.0.0' };
    const packages = { '': { dependencies }, 'node_modules/only': { version: '1.0.0', integrity } };
    const files = {
      'package.json': JSON.stringify({ dependencies }),
      'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }),
      '.npmrc': 'fetch-retries=0\n',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(context, name), text);
    const { port } = registry.address() as AddressInfo;
    // The configuration of this machine may name a file of authorities, which would replace all others.
    const settings = [
      `registry=https://localhost:${port}/`,
      `cache=${join(folder, 'cache')}`,
      'globalconfig=/dev/null',
    ];
    writeFileSync(join(folder, 'npmrc'), settings.join('\n'));
  });
  afterAll(() => {
    registry?.close();
    authority?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const install = (secrets: Record<string, string>) =>
    Image.build(upToInstallation, join(folder, 'context'), { npmrc: join(folder, 'npmrc'), ...secrets });

  test('trusts the authority of the secret ca, takes the registry of the secret npmrc, and keeps neither', async () => {
    const image = await install({ ca: authority.certificate });
    expect(existsSync(join(image.layer, 'app/node_modules/only/package.json'))).toBe(true);
    for (const secret of ['run/secrets/ca', 'root/.npmrc']) expect(existsSync(join(image.layer, secret))).toBe(false);
    image.remove();
  });

  test('fails without the authority of the registry', async () => {
    await expect(install({})).rejects.toThrow(/self-signed certificate/);
  });
});

/** Returns the tarball of a package that has no code. */
function packedPackage(folder: string): Buffer {
  mkdirSync(join(folder, 'package'));
  writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name: 'only', version: '1.0.0' }));
  return execFileSync('tar', ['cz', '-C', folder, 'package']);
}

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
    expect(readdirSync(app).toSorted()).toEqual([
      'demo',
      'dist',
      'mappings',
      'node_modules',
      'package.json',
      'sbom.cdx.json',
    ]);
    const files = readdirSync(join(app, 'dist'), { recursive: true }) as string[];
    expect(files.filter((file) => /\.(map|spec\.js|ts|tsbuildinfo)$/.test(file))).toEqual([]);
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

  test(`takes at most ${MOST_MEGABYTES} MB of disk for its bundle and packages (decision 192)`, () => {
    const sizes = execFileSync('du', ['-scB1', 'dist', 'node_modules'], { cwd: join(image.layer, 'app') }).toString();
    expect(Number(/(\d+)\ttotal/.exec(sizes)![1]) / 1e6).toBeLessThan(MOST_MEGABYTES);
  });

  test('lists exactly its packages in the SBOM, with their hashes, and without a time or a random number', () => {
    const app = join(image.layer, 'app');
    const sbom = JSON.parse(readFileSync(join(app, 'sbom.cdx.json'), 'utf8')) as Sbom;
    const packages = Object.entries(lock.packages).filter(([path]) => path && existsSync(join(app, path)));
    const expected = packages.map(([path, { version, integrity }]) => {
      const hash = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
      return `${path.replace(/.*node_modules\//, '')}@${version} ${hash}`;
    });
    const listed = sbom.components.map(({ name, version, hashes }) => `${name}@${version} ${hashes[0]!.content}`);
    expect(new Set(listed)).toEqual(new Set(expected));
    expect([sbom.bomFormat, sbom.metadata.component.name]).toEqual(['CycloneDX', 'customer-data-service']);
    expect([sbom.serialNumber, sbom.metadata.timestamp]).toEqual([undefined, undefined]);
  });

  test('starts a command', async () => {
    expect(await cli('--help')).toEqual({ code: 0, output: expect.stringContaining('Usage: customer-data') });
  });

  const runsOn = async (url: string) => {
    cpSync(join(PROJECT, 'demo'), join(volume, 'files'), { recursive: true });
    const script = readFileSync(join(PROJECT, 'test/support/every-command.mjs'), 'utf8');
    const settings = { DATABASE_URL: url, JWT_SECRET, ...ANY_PORT };
    const commands = run(settings, ['node', '--input-type=module', '--eval', script], volume);
    expect([await commands.exit(), commands.output]).toEqual([0, expect.stringMatching(/^Key .+\n$/)]);
    const client_secret = commands.output.trim().slice('Key '.length);
    const service = run(settings, undefined, volume);
    const [, port, managementPort] = await service.printing(/Listening on port (\d+) \(public\) and (\d+)/);
    await untilStatus(`http://127.0.0.1:${managementPort}/readyz`, 200);
    const login = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'DEMO-SHOP', client_secret });
    const token = await fetch(`http://127.0.0.1:${port}/auth/token`, { method: 'POST', body: login });
    const { access_token } = (await token.json()) as { access_token: string };
    for (const path of ['products', 'stock', 'prices']) {
      const headers = { Authorization: `Bearer ${access_token}` };
      const response = await fetch(`http://127.0.0.1:${port}/${path}`, { headers });
      expect([path, response.status, await response.text()]).toEqual([path, 200, expect.stringMatching(/^\[\{/)]);
    }
    for (const path of ['docs', 'docs/swagger-ui-bundle.js', 'docs/swagger-ui.css', 'metrics'])
      expect([path, (await fetch(`http://127.0.0.1:${managementPort}/${path}`)).status]).toEqual([path, 200]);
    expect(await service.stop('SIGTERM')).toBe(0);
  };

  test(
    'runs each command, the service and its pages on the embedded database',
    () => runsOn('sqlite:/mnt/customer-data.db'),
    120_000,
  );

  describeWith('mariadbd', 'on a database server', () => {
    let server: Awaited<ReturnType<typeof startPrivateServer>>;
    beforeAll(async () => void (server = await startPrivateServer(findServerProgram()!)));
    afterAll(() => server?.stop());

    test('runs each command, the service and its pages', async () => {
      const connection = await createConnection(server.url);
      await connection.query('CREATE DATABASE image');
      await connection.end();
      await runsOn(server.url.replace(/mysql$/, 'image'));
    }, 120_000);
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
  packages: Record<string, { version: string; integrity: string; dev?: boolean }>;
}

interface Sbom {
  bomFormat: string;
  serialNumber?: string;
  metadata: { timestamp?: string; component: { name: string } };
  components: { name: string; version: string; hashes: { alg: string; content: string }[] }[];
}
