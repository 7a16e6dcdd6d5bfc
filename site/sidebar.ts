import { titleOf } from './markdown.js';

/** An entry of the menu. */
interface Entry {
  text: string;
  link?: string;
  target?: string;
  items?: Entry[];
}

/**
 * Returns the menu: the pages in the order in which the first page links to them.
 * @throws if the first page does not link to a page, because its readers would not find it
 */
export function sidebarOf(pages: ReadonlyMap<string, string>): Entry[] {
  const first = pages.get('index.md')!;
  const linked = ['index.md', ...[...first.matchAll(/\]\(\/([^)#]+\.md)/g)].map(([, page]) => page!)];
  const missing = [...pages.keys()].filter((page) => !linked.includes(page));
  if (missing.length) throw new Error(`docs/integration/README.md does not link to ${missing.join(', ')}: add a link.`);
  const entries = (isWanted: (page: string) => boolean) =>
    [...new Set(linked)].filter(isWanted).map((page) => ({ text: titleOf(page, pages.get(page)!), link: `/${page}` }));
  return [
    { text: 'Guide', items: entries((page) => !isLanguage(page)) },
    { text: 'Scripts', items: entries(isLanguage) },
    { text: 'Reference', items: [{ text: 'OpenAPI', link: '/openapi/index.html', target: '_self' }] },
  ];
}

const isLanguage = (page: string) => page.startsWith('languages/');
