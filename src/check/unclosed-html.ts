const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
/** A tag with its attributes. An end tag has a slash in the first group, a self-closing tag in the third. */
const TAG = /<(\/?)([A-Za-z][A-Za-z0-9-]*)(?:"[^"]*"|'[^']*'|[^'"<>])*?(\/?)>/g;
/** The start of a tag or comment that has no end. */
const INCOMPLETE = /<(?:\/?[A-Za-z]|!--)[^<>]{0,20}/;

/**
 * Describes the first unclosed element or incomplete tag of an HTML text; undefined if there is none. This is stricter
 * than HTML, where some end tags are optional, because shops insert the text into their own pages.
 */
export function unclosedHtml(html: string): string | undefined {
  if (!html.includes('<')) return undefined;
  const text = withoutComments(html);
  const open: string[] = [];
  const counts = new Map<string, number>();
  const count = (tag: string, by: number) => counts.set(tag, (counts.get(tag) ?? 0) + by);
  for (const [, end, name, selfClosing] of text.matchAll(TAG)) {
    const tag = name!.toLowerCase();
    if (VOID.has(tag) || selfClosing) continue;
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
  const incomplete = INCOMPLETE.exec(text.replace(TAG, ' '));
  return incomplete ? `"${incomplete[0]}" is incomplete` : undefined;
}

/**
 * Removes comments that have an end. A regular expression would search the rest of the text for the end of each
 * unclosed comment, which takes quadratic time.
 */
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
