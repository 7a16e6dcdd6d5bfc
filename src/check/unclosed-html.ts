const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
/** A tag with its attributes: an end tag has a slash in the first group, an empty one in the third. */
const TAG = /<(\/?)([A-Za-z][A-Za-z0-9-]*)(?:"[^"]*"|'[^']*'|[^'"<>])*?(\/?)>/g;
/** The beginning of a tag or of a comment that has no end. */
const CUT = /<(?:\/?[A-Za-z]|!--)[^<>]{0,20}/;

/**
 * The first element of an HTML text that is never closed, or the tag that is cut short; undefined if there is none. Stricter
 * than HTML, which lets authors leave out some end tags: shops put the text into pages of their own.
 */
export function unclosedHtml(html: string): string | undefined {
  if (!html.includes('<')) return undefined;
  const text = withoutComments(html);
  const open: string[] = [];
  const counts = new Map<string, number>();
  const count = (tag: string, by: number) => counts.set(tag, (counts.get(tag) ?? 0) + by);
  for (const [, end, name, empty] of text.matchAll(TAG)) {
    const tag = name!.toLowerCase();
    if (VOID.has(tag) || empty) continue;
    if (!end) {
      open.push(tag);
      count(tag, 1);
    } else if (counts.get(tag)) {
      if (open.at(-1) !== tag) return `<${open[open.lastIndexOf(tag) + 1]}> is not closed`;
      open.pop();
      count(tag, -1);
    }
  }
  if (open.length) return `<${open[0]}> is not closed`;
  const cut = CUT.exec(text.replace(TAG, ' '));
  return cut ? `"${cut[0]}" is cut short` : undefined;
}

/** A comment without an end stays. A regular expression would look for that end again from each beginning. */
function withoutComments(html: string): string {
  let text = '';
  let rest = 0;
  for (let start = 0; (start = html.indexOf('<!--', rest)) >= 0;) {
    const end = html.indexOf('-->', start + 4);
    if (end < 0) break;
    text += `${html.slice(rest, start)} `;
    rest = end + 3;
  }
  return text + html.slice(rest);
}
