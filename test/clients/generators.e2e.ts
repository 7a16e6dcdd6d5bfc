import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { importFiles } from '../support/import-files.js';
import { describeWith } from '../support/describe-with.js';
import { TestService } from '../support/test-service.js';

const ROOT = resolve(import.meta.dirname, '../..');
const INSTALLED = join(ROOT, 'test/generators');
const PAGE = readFileSync(join(ROOT, 'docs/integration/typed-clients.md'), 'utf8');

/** The files that the page shows, each after its name. */
const FILES = [...PAGE.matchAll(/^`([\w.-]+)`:\n\n```(?:ts|json)\n([^]*?)^```$/gm)].map(
  ([, name, text]) => [name!, text!] as const,
);
const COMMANDS = [...PAGE.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block]) => block!.trim().split('\n'));
const PROGRAMS = FILES.map(([name]) => name).filter((name) => name.startsWith('use-'));
const [, PRINTED] = /^```text\n([^]*?)^```$/m.exec(PAGE)!;

/** Misspelled fields. The compiler must reject each of them, because the generated types know the correct names. */
const MISSPELLED: Record<string, string> = {
  access_token: 'access_tokens',
  error_description: 'error_descriptions',
  message: 'messages',
  PriceExclVAT: 'PriceExclVat',
  Changed: 'Change',
  Gone: 'Going',
};

const PER_MINUTE = 2;
const limited = (program: string) => `LIMITED-${PROGRAMS.indexOf(program)}`;

describeWith('generators', 'client generators and linters of OpenAPI', () => {
  const folder = mkdtempSync(join(tmpdir(), 'customer-data-generators-'));
  // `npx` runs these programs, too, but needs half a second more.
  const PATH = [join(folder, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const env = { PATH, HOME: process.env.HOME, NO_COLOR: '1' };
  const run = (command: string, more: Record<string, string> = {}) =>
    promisify(execFile)('sh', ['-eu', '-c', command.replace(/^npx /, '')], {
      cwd: folder,
      env: { ...env, ...more },
    }).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
    );

  let service: TestService;
  let secret: string;
  beforeAll(async () => {
    service = await TestService.start();
    await service.database.cliOk('import', join(ROOT, 'demo'));
    const customers = PROGRAMS.map((program) => [
      limited(program),
      '',
      'EUR-RETAIL',
      'NL01',
      '0',
      `${PER_MINUTE}`,
      '1000',
    ]);
    await service.database.load(importFiles({ 'customers.csv': customers }));
    secret = await service.key('DEMO-SHOP');
    const document = await (await fetch(`${service.managementUrl}/openapi.json`)).text();
    const files = [...FILES, ['package.json', '{"type":"module"}'], ['openapi.json', document]] as const;
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    symlinkSync(join(INSTALLED, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  const runProgram = (program: string, more: Record<string, string>) => {
    const settings = { BASE_URL: service.url, CLIENT_ID: 'DEMO-SHOP', CLIENT_SECRET: secret };
    return run(`npx tsx ${program}`, { ...settings, ...more });
  };

  test('the page names the installed versions', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(INSTALLED, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const packages = COMMANDS.filter((command) => command.startsWith('npm install')).flatMap((command) =>
      command.split(' ').filter((word) => /.@\d/.test(word)),
    );
    expect(packages.length).toBeGreaterThan(10);
    for (const [, name, version] of packages.map((word) => /^(.+)@(.+)$/.exec(word)!))
      expect([name, version]).toEqual([name, devDependencies[name!]]);
    for (const [, name, version] of PAGE.matchAll(/^\| \[([^\]]+)\]\(#.*?\) +\| ([\d.]+) /gm))
      expect([name, version]).toEqual([name, devDependencies[name!]]);
  });

  test('spectral finds no problems', async () => {
    writeFileSync(join(folder, 'ruleset.json'), '{"extends":["spectral:oas"]}');
    const { code, stdout } = await run('npx spectral lint --ruleset ruleset.json --format json --quiet openapi.json');
    expect([code, JSON.parse(stdout)]).toEqual([0, []]);
  });

  test('swagger-parser accepts the document', async () => {
    writeFileSync(
      join(folder, 'validate.mjs'),
      `import parser from '@apidevtools/swagger-parser';\nawait parser.validate('openapi.json');\n`,
    );
    expect(await run('node validate.mjs')).toMatchObject({ code: 0, stderr: '' });
  });

  test('the compiler accepts the generated clients and their programs, and rejects each misspelled field', async () => {
    const generating = COMMANDS.filter((command) => command.startsWith('npx ') && !command.startsWith('npx tsx '));
    expect(generating).toHaveLength(4);
    for (const command of generating)
      expect(await run(command, { BASE_URL: service.url })).toMatchObject({ code: 0, stderr: '' });
    const expected: string[] = [];
    for (const program of PROGRAMS) {
      const text = readFileSync(join(folder, program), 'utf8');
      const name = program.replace('.ts', '.wrong.ts');
      const names = new RegExp(`\\.(${Object.keys(MISSPELLED).join('|')})\\b`, 'g');
      writeFileSync(
        join(folder, name),
        text.replaceAll(names, (_, field: string) => {
          expected.push(`${name}: ${MISSPELLED[field]}`);
          return `.${MISSPELLED[field]}`;
        }),
      );
    }
    const { stdout } = await run('npx tsc');
    const found = [...stdout.matchAll(/^([^(\n]+)\(.*Property '(\w+)' does not exist/gm)];
    expect(stdout.split('\n').filter((line) => line.includes('error TS'))).toHaveLength(found.length);
    expect(found.map(([, file, field]) => `${file}: ${field}`).toSorted()).toEqual(expected.toSorted());
    expect(expected).toHaveLength(PROGRAMS.length * 7);
  }, 300_000);

  describe.each(PROGRAMS)('%s', (program) => {
    test('requests a new token after a 401, fetches the products, receives a 304, and fetches changes', async () => {
      const { code, stdout, stderr } = await runProgram(program, { TOKEN: 'expired' });
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: PRINTED, stderr: '' });
    });

    test('reports a wrong secret', async () => {
      const { code, stderr } = await runProgram(program, { CLIENT_SECRET: 'wrong' });
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('Error: invalid_client: Invalid client credentials.'),
      ]);
    });

    test('reports an exceeded quota and the seconds to wait', async () => {
      const CLIENT_ID = limited(program);
      const { code, stdout, stderr } = await runProgram(program, {
        CLIENT_ID,
        CLIENT_SECRET: await service.key(CLIENT_ID),
      });
      expect([code, stdout.split('\n')]).toEqual([1, [expect.stringMatching(/^189 products/), '']]);
      expect(stderr).toMatch(/Error: API calls quota exceeded! maximum admitted 2 per 1m\. Wait [1-9]\d? s\./);
    });

    test('reports a failure of the service', async () => {
      const TOKEN = await service.token('DEMO-SHOP');
      await service.database.sql('ALTER TABLE customers RENAME TO hidden_customers');
      try {
        const { code, stderr } = await runProgram(program, { TOKEN });
        expect([code, stderr]).toEqual([1, expect.stringContaining('Error: An unexpected error occurred.')]);
      } finally {
        await service.database.sql('ALTER TABLE hidden_customers RENAME TO customers');
      }
    });
  });
});
