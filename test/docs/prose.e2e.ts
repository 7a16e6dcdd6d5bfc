import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const TEXTLINT = resolve(ROOT, 'node_modules/textlint/bin/textlint.js');

/** The problems that `npm run lint` reports for a text in a file of this name. */
function lint(name: string, text: string) {
  const args = [TEXTLINT, '--format', 'unix', '--stdin', '--stdin-filename', resolve(ROOT, name)];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: ROOT, input: text, encoding: 'utf8' });
  return { status, found: [...stdout.matchAll(/:(\d+):\d+: not "([^"]+)"/g)].map(([, line, words]) => [line, words]) };
}

test('the linter rejects bad sentences in Markdown, also across lines and in tables', () => {
  const page = 'The request is answered 404.\n\nThe service tries in\nvain.\n\n| A |\n| - |\n| Whoever asks. |\n';
  expect(lint('docs/page.md', page)).toEqual({
    status: 1,
    found: [
      ['1', 'is answered'],
      ['3', 'mend'],
      ['8', 'whoever'],
    ],
  });
});

test('the linter rejects bad words in comments and test names', () => {
  const code = "// A look-up of the customer.\ntest('bad rows are mended', () => undefined);\n";
  expect(lint('test/file.e2e.ts', code)).toEqual({
    status: 1,
    found: [
      ['1', 'look-up'],
      ['2', 'mend'],
    ],
  });
});

test('the linter accepts plain sentences, and code in Markdown', () => {
  const page = 'The service returns 404 if the lookup fails: `The request is answered 404.`\n';
  expect(lint('docs/page.md', page)).toEqual({ status: 0, found: [] });
});
