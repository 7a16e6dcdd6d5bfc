// A bar chart of wall times on a logarithmic scale.

const BARS = {
  'TypeORM find with relations': 'TypeORM find, JSON.stringify',
  'floor A: only read the rows': 'only read the same rows',
  'GET /products': 'GET /products',
  'GET /products, gzip': '… gzip',
  'GET /products, brotli': '… brotli',
  'GET /products, 304': '… unchanged: 304',
  'the same bytes, ready in memory': 'the same bytes from memory',
};
const [LEFT, WIDTH, TOP, STEP] = [190, 400, 44, 24];
/** The grid lines in milliseconds. */
const LINES = [0.1, 1, 10, 100, 1_000, 10_000];

/** @returns an SVG for light and dark backgrounds */
export function chart({ rows, server, machine }) {
  const bars = Object.entries(BARS).map(([row, label], index) => bar(label, rows[row].milliseconds, index));
  const bottom = TOP + bars.length * STEP;
  const lines = LINES.map((at) => line(at, bottom));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 ${bottom + 64}" font-family="sans-serif" font-size="12">
<style>
  text { fill: #1f2328 } .small { fill: #59636e; font-size: 10px } line { stroke: #d1d9e0 }
  .other { fill: #8c959f } .ours { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .small { fill: #9198a1 } line { stroke: #3d444d }
    .other { fill: #656c76 } .ours { fill: #4493f8 }
  }
</style>
<text x="8" y="20" font-weight="bold">5,000 products (${Math.round(rows['GET /products'].MB)} MB of JSON) over HTTP, wall time</text>
${[...lines, ...bars].join('\n')}
<text class="small" x="8" y="${bottom + 36}">${escaped(server)}</text>
<text class="small" x="8" y="${bottom + 52}">${escaped(machine)}; each step of the scale is ten times the one before</text>
</svg>
`;
}

function bar(label, milliseconds, index) {
  const y = TOP + index * STEP;
  const ours = label.startsWith('GET') || label.startsWith('…');
  return `<text x="${LEFT - 8}" y="${y + 13}" text-anchor="end">${label}</text>
<rect class="${ours ? 'ours' : 'other'}" x="${LEFT}" y="${y}" width="${place(milliseconds)}" height="17" rx="2"/>
<text x="${LEFT + place(milliseconds) + 6}" y="${y + 13}">${duration(milliseconds)}</text>`;
}

function line(at, bottom) {
  const x = LEFT + place(at);
  return `<line x1="${x}" x2="${x}" y1="${TOP - 8}" y2="${bottom}"/>
<text class="small" x="${x}" y="${bottom + 14}" text-anchor="middle">${duration(at)}</text>`;
}

/** The distance of a duration from the left end of the scale in pixels. */
function place(milliseconds) {
  const [first, last] = [LINES[0], LINES.at(-1)].map(Math.log10);
  return Math.round((Math.max(0, Math.log10(milliseconds) - first) / (last - first)) * WIDTH);
}

const duration = (milliseconds) =>
  milliseconds < 1_000
    ? `${Number(milliseconds.toPrecision(2))} ms`
    : `${Number((milliseconds / 1_000).toPrecision(2))} s`;

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
