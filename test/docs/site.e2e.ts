import { strFromU8, unzipSync } from 'fflate';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { writeDocsSite } from '../support/docs-site.js';

const GUIDE = resolve(import.meta.dirname, '../../docs/integration');
const BASE_URL = 'https://data.wholesaler.example/api';

let site: string;
let files: string[];
beforeAll(async () => {
  site = await writeDocsSite(BASE_URL);
  files = filesOf(site);
}, 240_000);
afterAll(() => rmSync(site, { recursive: true, force: true }));

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
const textOf = (file: string) => readFileSync(join(site, file), 'utf8');
const pages = () => files.filter((file) => file.endsWith('.html'));
/** The text that a reader sees. */
const visible = (file: string) =>
  textOf(file)
    .replaceAll(/<(script|style)\b.*?<\/\1>/gs, '')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"');

test('leads back from the OpenAPI page to the guide', () => {
  expect(textOf('openapi/index.html')).toContain('<a href="/index.html"');
});

test('links from the guide to the section of the interface that it names', () => {
  const links = pages().flatMap((page) => textOf(page).match(/<a href="[^"]*">interface §[^<]*/gi) ?? []);
  expect(links.length).toBeGreaterThan(2);
  expect(links.filter((link) => !link.includes('#'))).toEqual([]);
});

test('has a page for each page of the guide, and a file for each of its files', () => {
  const expected = filesOf(GUIDE).map((file) => file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html'));
  expect(files).toEqual(expect.arrayContaining([...expected, 'interface.html', 'openapi/index.html', 'openapi.json']));
});

test('has the base URL in every example, in the collection and in the OpenAPI document', () => {
  expect(visible('index.html')).toContain(`export BASE_URL=${BASE_URL} `);
  expect(visible('interface.html')).toContain(`BASE=${BASE_URL}\n`);
  const archive = unzipSync(readFileSync(join(site, 'collection.zip')));
  expect(strFromU8(archive['collection/environments/Demo.yml']!)).toContain(`value: ${BASE_URL}\n`);
  expect(JSON.parse(textOf('openapi.json')).servers).toEqual([{ url: BASE_URL }]);
  const examples = files.filter((file) => !/^(assets\/chunks|openapi)\//.test(file));
  expect(examples.filter((file) => textOf(file).includes('localhost'))).toEqual([]);
});

test('names downloads as they are downloaded', () => {
  expect(visible('languages/shell.html')).toContain('node cut.mjs sh sync.sh');
  expect(Object.keys(unzipSync(readFileSync(join(site, 'examples.zip'))))).toContain('examples/sync.sh');
  expect(pages().filter((page) => visible(page).includes('docs/integration'))).toEqual([]);
});

test('contains no internal page and no reference to one', () => {
  const internal = /decisions?\s+\d|decisions\.md|conformance|operations\.md|dist\/cli|checkout|repository only/i;
  expect(pages().flatMap((page) => internal.exec(visible(page))?.[0] ?? [])).toEqual([]);
});

test('has no link that leads to nothing', () => {
  const ids = new Map(pages().map((page) => [page, [...textOf(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)]));
  const leads = (page: string, target: string) => {
    const [path = '', anchor] = target.split('#');
    const absolute = path.startsWith('/') ? path.slice(1) : join(dirname(page), path);
    const file = path === '' ? page : absolute.replace(/(^|\/)$/, '$1index.html');
    return files.includes(file) && (!anchor || ids.get(file)?.includes(decodeURIComponent(anchor)));
  };
  const links = pages().flatMap((page) =>
    [...textOf(page).matchAll(/ (?:href|src)="([^"]+)"/g)]
      .map(([, target]) => ({ page, target: target! }))
      .filter(({ target }) => !/^(https?|data|mailto):/.test(target)),
  );
  expect(links.length).toBeGreaterThan(500);
  expect(links.filter(({ page, target }) => !leads(page, target))).toEqual([]);
});

test('loads nothing from other hosts, and forbids the browser to do so', () => {
  const loading = /<(?:script|link|img|iframe|source)\b[^>]+(?:src|href)="(?:https?:)?\/\/[^"]*"/g;
  expect(pages().flatMap((page) => textOf(page).match(loading) ?? [])).toEqual([]);
  const styles = files.filter((file) => file.endsWith('.css'));
  expect(
    styles.flatMap((file) => textOf(file).match(/(?:@import|url\()\s*["']?(?:https?:)?\/\/[^)"']*/g) ?? []),
  ).toEqual([]);
  const scripts = files.filter((file) => /^assets\/.*\.js$/.test(file));
  const requests = /(?:fetch|import|importScripts|Worker|open)\(["'`](?:https?:)?\/\/[^"'`]*/g;
  expect(scripts.flatMap((file) => textOf(file).match(requests) ?? [])).toEqual([]);
  for (const page of pages())
    expect([page, textOf(page)]).toEqual([
      page,
      expect.stringContaining(`"Content-Security-Policy" content="default-src 'self';`),
    ]);
});

test('has known words of every page in its search index', () => {
  const index = textOf(files.find((file) => file.includes('localSearchIndex'))!);
  const known = ['retry', 'availableqty', 'priceexclvat', 'ndjson', 'bruno', 'mono', 'crontab', 'rfc'];
  expect(known.filter((word) => !index.includes(`["${word}",`))).toEqual([]);
});
