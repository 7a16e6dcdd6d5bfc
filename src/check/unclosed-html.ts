const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
/** A comment, or a tag with its attributes: an end tag has a slash in the first group, an empty one in the third. */
const TAG = /<!--[\s\S]*?-->|<(\/?)([A-Za-z][A-Za-z0-9-]*)(?:"[^"]*"|'[^']*'|[^'"<>])*?(\/?)>/g;
/** What begins like a tag or a comment and is none. */
const CUT = /<(?:\/?[A-Za-z]|!--)[^<>]{0,20}/;

/**
 * The first element of an HTML text that is never closed, or the tag that is cut short; undefined if there is none. Stricter
 * than HTML, which lets authors leave out some end tags: shops put the text into pages of their own.
 */
export function unclosedHtml(html: string): string | undefined {
  if (!html.includes('<')) return undefined;
  const open: string[] = [];
  for (const [, end, name, empty] of html.matchAll(TAG)) {
    const tag = name?.toLowerCase();
    if (!tag || VOID.has(tag) || empty) continue;
    if (!end) {
      open.push(tag);
      continue;
    }
    const opened = open.lastIndexOf(tag);
    const inside = open[opened + 1];
    if (opened >= 0 && inside !== undefined) return `<${inside}> is not closed`;
    if (opened >= 0) open.pop();
  }
  if (open.length) return `<${open[0]}> is not closed`;
  const cut = CUT.exec(html.replace(TAG, ' '));
  return cut ? `"${cut[0]}" is cut short` : undefined;
}
