import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { withoutAbsentColumns, withoutFurtherColumns, withoutFurtherFields } from '../support/further-fields.js';
import { ServiceProcess } from '../support/service-process.js';

const ROOT = resolve(import.meta.dirname, '../..');
const DOCS = join(ROOT, 'docs/integration');
/** A block of commands and, if the page shows it, the block of their output. `…` matches any text. */
const BLOCK = /^```sh\n([^]*?)^```\n(?:\n```text\n([^]*?)^```$)?/gm;

/** The progress lines of an import. */
const PROGRESS = /^.* rows of \w+ read, .* s\n/gm;

/** The output of a command without the fields that its page does not show. */
function withoutFurther(printed: string, shown: string): string {
  const [header] = /^SKU(,\w+)+$/m.exec(shown) ?? [];
  if (header) return withoutFurtherColumns(printed, header.split(',').length);
  return withoutFurtherFields(withoutAbsentColumns(printed), shown);
}

function blocksOf(page: string) {
  return (
    [...readFileSync(join(DOCS, page), 'utf8').matchAll(BLOCK)]
      .map(([, commands, shown]) => ({ commands: commands!, shown }))
      // The test sets these for its own service.
      .filter(({ commands }) => !commands.startsWith('export BASE_URL='))
  );
}

/** generators.e2e.ts carries out the commands of typed-clients.md. */
const PAGES = readdirSync(DOCS).filter(
  (page) => page.endsWith('.md') && page !== 'typed-clients.md' && blocksOf(page).length,
);

const folder = mkdtempSync(join(tmpdir(), 'customer-data-docs-'));
let service: ServiceProcess;
let settings: Record<string, string>;
beforeAll(async () => {
  // Readers work in a checkout, or in the folder with the script of their language.
  for (const name of ['demo', 'dist', 'docs']) symlinkSync(join(ROOT, name), join(folder, name));
  cpSync(join(DOCS, 'examples'), folder, { recursive: true });
  service = ServiceProcess.start({}, folder);
  const [, key] = await service.printing(/API key +(\S+)/);
  const { url } = await service.ready();
  settings = {
    BASE_URL: url,
    CLIENT_ID: 'DEMO-SHOP',
    CLIENT_SECRET: key!,
  };
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** The script would otherwise exceed its quota, wait for the next minute, and print that it does. */
async function allowMoreRequests() {
  await service.stop();
  service = ServiceProcess.start({ REQUESTS_PER_MINUTE: '1000' }, folder);
  settings.BASE_URL = (await service.ready()).url;
}

test.each(PAGES)(
  'the commands of %s print the output that the page shows (demo data)',
  async (page) => {
    // The other pages use the token that README.md requests.
    const blocks = [...(page === 'README.md' ? [] : blocksOf('README.md').slice(0, 1)), ...blocksOf(page)];
    expect(blocks.length).toBeGreaterThan(1);
    // One shell runs all commands of a page, as a reader's does.
    const script = blocks.map(({ commands }) => `${commands}printf '\\001'\n`).join('');
    if (page === 'testing.md') await allowMoreRequests();
    const env = { PATH: process.env.PATH, TMPDIR: folder, ...settings };
    const { stdout, stderr } = await promisify(execFile)('sh', ['-eu', '-c', script], { env, cwd: folder });
    expect(stderr.replaceAll(PROGRESS, '')).toBe('');
    const printed = stdout.replaceAll('\r', '').split('\u0001').slice(0, -1);
    for (const [index, { commands, shown = '' }] of blocks.entries()) {
      const pattern = shown
        .trimEnd()
        .split('…')
        .map((text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
        .join('[^]*?');
      expect({ commands, printed: withoutFurther(printed[index]!.trimEnd(), shown) }).toEqual({
        commands,
        printed: expect.stringMatching(new RegExp(`^${pattern}$`)),
      });
    }
  },
  180_000,
);
