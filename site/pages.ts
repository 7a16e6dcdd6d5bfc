import { zipSync } from 'fflate';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { rewritten, titleOf } from './markdown.js';

const GUIDE = 'docs/integration/';
/** Files outside of the guide that customers may read, too. Everything else in the repository is internal. */
const SHARED = ['docs/interface.md', 'docs/openapi.json'];

/** The text or the bytes of each file, by its path. */
export type Files = ReadonlyMap<string, string | Uint8Array>;

export interface SiteSource {
  /** Markdown. */
  pages: ReadonlyMap<string, string>;
  /** Files to download, and each folder of them as a zip file. */
  downloads: Files;
}

/**
 * Returns the pages and the downloads of the site, with the base URL in place of the address of a local service.
 * @param root the folder of the project
 * @throws if a page links to a file that the site does not contain
 */
export function siteSource(root: string, baseUrl: string): SiteSource {
  const texts = new Map(
    [...guideFiles(root), ...SHARED].map((file) => [
      file,
      forCustomers(readFileSync(join(root, file), 'utf8'), baseUrl),
    ]),
  );
  const files = [...texts].map(([file, text]) => ({ file, text, place: placeOf(file), isPage: file.endsWith('.md') }));
  const downloads = withArchives(files.filter(({ isPage }) => !isPage).map(({ place, text }) => [place, text]));
  downloads.set('openapi.json', withServer(texts.get('docs/openapi.json')!, baseUrl));

  const targetOf = (from: string, link: string) => {
    const [path = '', anchor] = link.split('#');
    const file = path ? normalize(join(dirname(from), path)).replace(/\/$/, '') : from;
    const [place, text] = [placeOf(file), texts.get(file)];
    if (file.endsWith('.md'))
      return text && { place: `/${place}${anchor ? `#${anchor}` : ''}`, title: titleOf(file, text) };
    const download = [place, `${place}.zip`].find((name) => downloads.has(name));
    return download ? { place: `/${download}` } : undefined;
  };
  const pages = files
    .filter(({ isPage }) => isPage)
    .map(
      ({ file, text, place }) => [place, rewritten(file, text, (link) => targetOf(file, link) || undefined)] as const,
    );
  return { pages: new Map(pages), downloads };
}

function guideFiles(root: string): string[] {
  const entries = readdirSync(join(root, GUIDE), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    .toSorted();
}

/** Returns where the site has a file of the repository. */
function placeOf(file: string): string {
  const place = file.startsWith(GUIDE) ? file.slice(GUIDE.length) : file.replace(/^docs\//, '');
  return place === 'README.md' ? 'index.md' : place;
}

/** Customers have no local service, and no folders of the repository around the files that they download. */
function forCustomers(text: string, baseUrl: string): string {
  return text
    .replaceAll('http://localhost:3000', baseUrl)
    .replaceAll(/docs\/integration\/(examples\/)?(?=[\w-]+\.)/g, '');
}

function withServer(document: string, baseUrl: string): string {
  return `${JSON.stringify({ ...JSON.parse(document), servers: [{ url: baseUrl }] }, null, 2)}\n`;
}

/** Adds a zip file for each folder. Its times are fixed, so equal files make equal archives. */
function withArchives(files: [string, string][]): Map<string, string | Uint8Array> {
  const folders = new Set(files.filter(([path]) => path.includes('/')).map(([path]) => path.split('/')[0]!));
  const archives = [...folders].map((folder): [string, Uint8Array] => {
    const content = files.filter(([path]) => path.startsWith(`${folder}/`));
    const bytes = Object.fromEntries(content.map(([path, text]) => [path, Buffer.from(text)]));
    return [`${folder}.zip`, zipSync(bytes, { mtime: new Date(2026, 0, 1) })];
  });
  return new Map<string, string | Uint8Array>([...files, ...archives]);
}
