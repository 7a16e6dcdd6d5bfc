// A chart of the times of responses on a logarithmic scale: a dot for each time, and a mark for each limit. Only the
// middle column has grid lines. All texts are left or right of it, or below it.
import { rowsOf } from './chart-rows.mjs';

const [LEFT, WIDTH, TOP, STEP, RIGHT] = [240, 330, 58, 22, 240];
const TOTAL = LEFT + WIDTH + RIGHT;
/** The grid lines in milliseconds. */
const LINES = [0.1, 1, 10, 100, 1_000, 10_000];

const STYLE = `
  text { fill: #1f2328 } .small { fill: #59636e; font-size: 11px } .group { font-weight: bold } line { stroke: #d1d9e0 }
  .other { fill: #6e7781 } .ours { fill: #0969da } .limit { fill: none; stroke: #bc4c00; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .small { fill: #9198a1 } line { stroke: #3d444d }
    .other { fill: #9198a1 } .ours { fill: #4493f8 } .limit { stroke: #f0883e }
  }
`;

/** @param {object} result see `saveResults` @returns {string} an SVG for light and dark backgrounds */
export function chart(result) {
  const rows = rowsOf(result).map((row, index) => ({ ...row, y: TOP + index * STEP }));
  const bottom = TOP + rows.length * STEP - 6;
  const parts = [...legend(), ...LINES.map((at) => gridLine(at, bottom)), ...rows.map(rowMarks)];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${TOTAL} ${bottom + 62}" font-family="sans-serif" font-size="12">
<style>${STYLE}</style>
${text(8, 18, `Time of a response, 5,000 eligible products: ${result.product}, Node ${result.node}`, 'group')}
${parts.join('\n')}
${text(8, bottom + 38, `${result.taken}, ${result.machine.replace(/, Node .*/, '')}. Each grid line is ten times the one before.`, 'small')}
${text(8, bottom + 54, result.server.replace(/^Server /, ''), 'small')}
</svg>
`;
}

function legend() {
  const y = 38;
  return [
    circle(LEFT, y, 'ours'),
    text(LEFT + 10, y + 4, 'this service', 'small'),
    limitMark(LEFT + 92, y),
    text(LEFT + 100, y + 4, 'its limit', 'small'),
    circle(LEFT + 160, y, 'other'),
    text(LEFT + 170, y + 4, 'what you might use instead', 'small'),
  ];
}

function rowMarks({ group, label, milliseconds, limit, ours, y }) {
  if (group) return text(LEFT - 12, y + 4, group, 'group', 'end');
  return [
    text(LEFT - 12, y + 4, label, undefined, 'end'),
    circle(LEFT + place(milliseconds), y, ours ? 'ours' : 'other'),
    ...(limit ? [limitMark(LEFT + place(limit), y)] : []),
    text(LEFT + WIDTH + 12, y + 4, duration(milliseconds) + (limit ? beside(limit, milliseconds) : '')),
  ].join('\n');
}

function gridLine(at, bottom) {
  const x = LEFT + place(at);
  return `<line x1="${x}" x2="${x}" y1="${TOP - 12}" y2="${bottom}"/>
${text(x, bottom + 16, duration(at), 'small', 'middle')}`;
}

const beside = (limit, milliseconds) => ` (limit ${duration(limit)}${milliseconds > limit ? ', missed' : ''})`;

const circle = (x, y, kind) => `<circle class="${kind}" cx="${x}" cy="${y}" r="5"/>`;

const limitMark = (x, y) => `<path class="limit" d="M${x} ${y - 8}V${y + 8}"/>`;

function text(x, y, content, kind, anchor) {
  const attributes = [kind && ` class="${kind}"`, anchor && ` text-anchor="${anchor}"`].filter(Boolean).join('');
  return `<text x="${x}" y="${y}"${attributes}>${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`;
}

/** The distance of a duration from the left end of the scale in pixels. */
function place(milliseconds) {
  const [first, last] = [LINES[0], LINES.at(-1)].map(Math.log10);
  const share = (Math.log10(milliseconds) - first) / (last - first);
  return Math.round(Math.min(1, Math.max(0, share)) * WIDTH);
}

const duration = (milliseconds) =>
  milliseconds < 1_000
    ? `${Number(milliseconds.toPrecision(2))} ms`
    : `${Number((milliseconds / 1_000).toPrecision(2))} s`;
