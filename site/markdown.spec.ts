import { rewritten } from './markdown.js';
import { sidebarOf } from './sidebar.js';

const targets: Record<string, { place: string; title?: string }> = {
  'polling.md': { place: '/polling.md', title: 'Poll well' },
  'polling.md#numbers': { place: '/polling.md#numbers', title: 'Poll well' },
  '../openapi.json': { place: '/openapi.json' },
};
const page = (text: string) => rewritten('docs/integration/page.md', text, (link) => targets[link]);

test.each([
  ['[polling.md](polling.md)', '[Poll well](/polling.md)'],
  ['[numbers](polling.md#numbers)', '[numbers](/polling.md#numbers)'],
  ['[../openapi.json](../openapi.json)', '[openapi.json](/openapi.json){target="_self" download=""}'],
  ['[Bruno](https://www.usebruno.com)', '[Bruno](https://www.usebruno.com)'],
  ['```sh\n[a](operations.md)\n```\n', '```sh\n[a](operations.md)\n```\n'],
  ['Sorted ([decision 2](decisions.md#2)).', 'Sorted.'],
  ['Kept (decisions [1](decisions.md#1),\n  [2](decisions.md#2) and [3](decisions.md#3)):', 'Kept:'],
  ['A\n<!-- repository only -->\n\n[x](x.md)\n\n<!-- end of repository only -->\nB', 'A\nB'],
  ['| [a.md](../operations.md) | x |\n| [polling.md](polling.md) | y |', '| [Poll well](/polling.md) | y |'],
])('rewrites %j', (text, expected) => {
  expect(page(text)).toBe(expected);
});

test('links each section and each rule of a page with numbered headings to its section', () => {
  const text = '## 1. Limits\nSee §1.2, §2.1 and RFC 9110 §1.5.\n```text\n§1\n```\n### 2.1 Product\n';
  const linked = text.replace('§1.2, §2.1', '[§1.2](/interface.md#1-limits), [§2.1](/interface.md#21-product)');
  expect(rewritten('docs/interface.md', text, (link) => ({ place: `/interface.md${link}`, title: 'Interface' }))).toBe(
    linked,
  );
});

test('rejects a reference to a section that the page does not contain, and names it', () => {
  expect(() => page('## 1. Limits\nSee §3.1.')).toThrow('docs/integration/page.md refers to §3.1, which it does not');
});

test.each([
  'See [operations](../operations.md).',
  '| x | [operations](../operations.md) |',
  '[decision 2](decisions.md#2)',
])('rejects the internal link in %j, and names the page and the remedy', (text) => {
  expect(() => page(text)).toThrow(/^docs\/integration\/page\.md links to .*\. Remove the link, or put the passage/);
});

test('rejects a page that the first page does not link to', () => {
  const pages = new Map([
    ['index.md', '# Integrate\n[Poll well](/polling.md)'],
    ['polling.md', '# Poll well'],
  ]);
  expect(sidebarOf(pages)[0]!.items).toEqual([
    { text: 'Integrate', link: '/index.md' },
    { text: 'Poll well', link: '/polling.md' },
  ]);
  expect(() => sidebarOf(new Map([...pages, ['new.md', '# New']]))).toThrow('does not link to new.md');
});
