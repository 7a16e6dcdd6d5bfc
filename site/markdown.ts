/** A file that the site contains. */
interface Target {
  /** Its path in the site, from the root. */
  place: string;
  /** Of a page. Undefined: the file is a download. */
  title?: string;
}

/** Returns the target of a link of a page. Undefined: the site does not contain it. */
type TargetOf = (link: string) => Target | undefined;

/** A link to a decision, or a list of them, in brackets: `([decision 8](decisions.md#8))`. */
const DECISION = String.raw`\[(?:decision\s)?\d+\]\((?:\.\./)?decisions\.md#\d+\)`;
const DECISIONS = new RegExp(String.raw`\s*\((?:decisions\s+)?${DECISION}(?:(?:,|\s+and|\s+to)\s+${DECISION})*\)`, 'g');

/** A passage for readers of the repository only. */
const REPOSITORY_ONLY = /^ *<!-- repository only -->\n[^]*?^ *<!-- end of repository only -->\n/gm;

const FENCE = /^( *)```.*?^\1```$/gms;
const LINK = /\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;
const NUMBERED_HEADING = /^#+ (\d+(?:\.\d+)?)\.? .+$/gm;
/** A section, or a rule of it. Not a section of an RFC. */
const SECTION = /(?<!RFC\s\d+\s)§(\d+)(\.\d+)?/g;
const ROW_WITH_LINK = /^\| *\[[^\]]*\]\(([^)\s]+)\)/;

/**
 * Returns the Markdown of a page of the site. Leaves out references to decisions, passages for readers of the
 * repository, and rows of a table whose first cell links to an internal page.
 * @throws if another link leads to a file that the site does not contain
 */
export function rewritten(file: string, text: string, targetOf: TargetOf): string {
  const isInternal = (link: string | undefined) => link && !isExternal(link) && !targetOf(link);
  const kept = text
    .replaceAll(REPOSITORY_ONLY, '')
    .replaceAll(DECISIONS, '')
    .split('\n')
    .filter((line) => !isInternal(ROW_WITH_LINK.exec(line)?.[1]))
    .join('\n');
  const change = (whole: string, label: string, link: string) => {
    if (isExternal(link)) return whole;
    const target = targetOf(link);
    if (target) return linkTo(target, label);
    throw new Error(
      `${file} links to ${link}, which the documentation site does not contain. Remove the link, or put the passage ` +
        'between <!-- repository only --> and <!-- end of repository only -->.',
    );
  };
  return outsideFences(withSectionLinks(file, kept), (prose) => prose.replaceAll(LINK, change));
}

/**
 * Links each `§8.2` of a page with numbered headings to its section.
 * @throws if the page has no such section
 */
function withSectionLinks(file: string, text: string): string {
  const anchors = new Map([...text.matchAll(NUMBERED_HEADING)].map(([heading, number]) => [number, anchorOf(heading)]));
  if (anchors.size === 0) return text;
  const link = (reference: string, section: string, rule = '') => {
    const anchor = anchors.get(section + rule) ?? anchors.get(section);
    if (!anchor) throw new Error(`${file} refers to ${reference}, which it does not contain. Correct the number.`);
    return `[${reference}](#${anchor})`;
  };
  return outsideFences(text, (prose) => prose.replaceAll(SECTION, link));
}

/** The anchor of a heading, as GitHub and the site make it. */
const anchorOf = (heading: string) =>
  heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '')
    .replaceAll(' ', '-');

/** Readers of the site know a page by its title, not by the name of its file. */
function linkTo({ place, title }: Target, label: string): string {
  if (title) return `[${label.endsWith('.md') ? title : label}](${place})`;
  // Without a target, VitePress would look for a page at this path.
  return `[${label.replace('../', '')}](${place}){target="_self" download=""}`;
}

const isExternal = (link: string) => /^[a-z]+:/.test(link);

function outsideFences(text: string, change: (prose: string) => string): string {
  let result = '';
  let end = 0;
  for (const fence of text.matchAll(FENCE)) {
    result += change(text.slice(end, fence.index)) + fence[0];
    end = fence.index + fence[0].length;
  }
  return result + change(text.slice(end));
}

/** @throws if the page has no heading */
export function titleOf(file: string, text: string): string {
  const [, title] = /^# (.+)$/m.exec(text) ?? [];
  if (!title) throw new Error(`${file} has no heading: start it with "# " and a title.`);
  return title;
}
