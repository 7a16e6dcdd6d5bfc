import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** Folders with files of the project. */
const FOLDERS = ['src', 'test', 'conformance', 'bench', 'docs', 'deploy', 'demo', 'mappings'];
const files = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.includes('node_modules'))
      .map((name) => `${folder}/${name}`),
  ),
];
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The anchors of a page: those of its headings, as GitHub names them, and explicit ones. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id!));
  for (const [, heading] of text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)) {
    const plain = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '').replaceAll(' ', '-');
    for (let count = 0; ; count++) {
      const name = count ? `${slug}-${count}` : slug;
      if (anchors.has(name)) continue;
      anchors.add(name);
      break;
    }
  }
  return anchors;
}

const pages = files.filter((file) => file.endsWith('.md'));
const anchors = new Map(pages.map((page) => [page, anchorsOf(textOf(page))]));

/** The problem of a link from a file to a target; undefined if there is none. */
function problemOf(file: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#');
  const page = path ? normalize(join(dirname(file), path)).replace(/\/$/, '') : file;
  if (!existsSync(join(ROOT, page))) return `${file}: ${page} does not exist`;
  if (anchor && page.endsWith('.md') && !anchors.get(page)?.has(anchor)) return `${file}: ${page} has no #${anchor}`;
  return undefined;
}

test('every link of a page leads to a file and to an anchor that exist', () => {
  const problems = pages.flatMap((page) =>
    [
      ...textOf(page)
        .replaceAll(/^```.*?^```/gms, '')
        .matchAll(/\]\(([^)\s]+)\)/g),
    ]
      .filter(([, target]) => !/^[a-z]+:/.test(target!))
      .flatMap(([, target]) => problemOf(page, target!) ?? []),
  );
  expect(problems).toEqual([]);
});

test('every decision that code or a page names by its number exists', () => {
  const decisions = anchors.get('docs/decisions.md')!;
  const named = files
    .filter((file) => /\.(ts|mjs|md|ya?ml)$/.test(file))
    .flatMap((file) => {
      const text = textOf(file);
      const numbers = [...text.matchAll(/\bdecisions? (\d+)|decisions\.md#(\d+)/g)].map(([, one, two]) => one ?? two!);
      return numbers.filter((number) => !decisions.has(number)).map((number) => `${file}: ${number}`);
    });
  expect(named).toEqual([]);
});
