import { parse } from 'csv-parse/sync';
import { type Clause, clause, holds, same } from '../clause.js';
import { NotTestable } from '../failure.js';
import { type DataPath, numbersIn, sameBytes } from '../data.js';
import { DATA_PATHS } from '../endpoints.js';
import type { Deployment } from '../deployment.js';

/** Where a spreadsheet would run a text as a formula, with any delimiter (docs/decisions.md#93). */
const FORMULA = /^(?='*[=+\-@\t\r\n＝＋－＠])|(?<=[,;\t\r\n])(?=["']*[=+\-@＝＋－＠])/g;
const isFormula = (text: string) => text.search(FORMULA) >= 0;

interface Cell {
  /** The position in messages, such as `/stock[0].SKU`. */
  where: string;
  text: string;
  quoted: boolean;
  /** The value in JSON; `line` is the NDJSON line that contains it. */
  value: unknown;
  key: string;
  line: string;
}

/** §10.2 and §10.3: NDJSON and CSV. */
export const TABLES: Clause[] = [
  clause(
    '§10.2 lines',
    'NDJSON has one element a line with the bytes of JSON, and each line ends with LF (§10)',
    async (deployment) => {
      for (const path of DATA_PATHS) {
        const lines = await linesOf(deployment, path);
        await sameBytes(deployment, path, Buffer.from(`[${lines.join(',')}]`));
      }
    },
  ),
  clause('§10.3 csv', 'every CSV row ends with CR LF, including the last one (decision 92)', async (deployment) => {
    for (const path of DATA_PATHS) {
      const text = await csvOf(deployment, path, 'text/csv');
      holds(text.endsWith('\r\n'), `CR LF at the end of ${path}`, text.slice(-20));
      same(`rows of ${path}`, recordsOf(text).length, (await linesOf(deployment, path)).length + 1);
    }
  }),
  clause('§10.3.1 columns', 'the first CSV row names the keys in their order (decision 92)', async (deployment) => {
    for (const path of DATA_PATHS) {
      const [header] = recordsOf(await csvOf(deployment, path, 'text/csv'));
      const [line] = await linesOf(deployment, path);
      if (line)
        same(
          `columns of ${path}`,
          header!.map(({ text }) => text),
          Object.keys(JSON.parse(line) as object),
        );
    }
  }),
  clause(
    '§10.3.2 variants',
    'bom=1 adds a byte order mark, and delimiter=semicolon separates cells by semicolons',
    async (deployment) => {
      const plain = await csvOf(deployment, '/stock', 'text/csv');
      same('with bom=1', await csvOf(deployment, '/stock', 'text/csv;bom=1'), `\uFEFF${plain}`);
      const other = await csvOf(deployment, '/stock', 'text/csv;delimiter=semicolon');
      same('cells by semicolon', recordsOf(other, ';'), recordsOf(plain));
    },
  ),
  clause(
    'decision 200 decimal',
    'decimal=comma changes only the decimal sign of numbers (§10.3)',
    async (deployment) => {
      for (const path of DATA_PATHS) {
        const points = await cellsOf(deployment, path, 'text/csv;delimiter=semicolon');
        const commas = await cellsOf(deployment, path, 'text/csv;decimal=comma');
        const expected = points.map(({ text, value }) => (typeof value === 'number' ? text.replace('.', ',') : text));
        same(
          `cells of ${path}`,
          commas.map(({ text }) => text),
          expected,
        );
        for (const { where, text, quoted, value } of commas)
          holds(typeof value !== 'number' || !quoted, `no quotes at ${where}`, text);
      }
    },
  ),
  cellClause('§10.3.3 values', 'CSV writes numbers and texts as in JSON (decision 92)', (cell) => {
    const { value, text, line, key } = cell;
    if (typeof value === 'number') return text === numberIn(line, key);
    return typeof value === 'string' && !isFormula(value) ? text === value : undefined;
  }),
  cellClause(
    '§10.3.4 empty',
    'CSV writes null as an empty cell and an empty text as "" (decision 92)',
    ({ value, text, quoted }) =>
      value === null || value === '' ? text === '' && quoted === (value === '') : undefined,
  ),
  cellClause(
    '§10.3.5 arrays',
    'CSV writes a nested array as one cell with its JSON (decision 92)',
    ({ value, text, key, line }) =>
      Array.isArray(value) ? line.includes(`"${key}":${withoutEscapes(text)}`) && text.startsWith('[') : undefined,
  ),
  cellClause(
    '§10.3.6 formulas',
    'CSV puts an apostrophe before a text that a spreadsheet would run (decision 93)',
    ({ value, text }) =>
      typeof value === 'string' && isFormula(value) ? text === value.replaceAll(FORMULA, "'") : undefined,
  ),
];

/** @param isCorrect whether a cell is correct; undefined if the clause does not apply to it */
function cellClause(id: string, text: string, isCorrect: (cell: Cell) => boolean | undefined): Clause {
  return clause(id, text, async (deployment) => {
    let checked = 0;
    for (const path of DATA_PATHS)
      for (const cell of await cellsOf(deployment, path)) {
        const correct = isCorrect(cell);
        if (correct === undefined) continue;
        checked++;
        holds(correct, `at ${cell.where} the cell of ${JSON.stringify(cell.value)}`, cell.text);
      }
    if (!checked) throw new NotTestable('this customer has no such value');
  });
}

async function linesOf(deployment: Deployment, path: DataPath): Promise<string[]> {
  const { status, bytes } = await deployment.ask({ path, headers: { Accept: 'application/x-ndjson' } });
  same(`status of ${path} in lines`, status, 200);
  const lines = bytes.toString().split('\n');
  same(`text after the last line of ${path}`, lines.pop(), '');
  return lines;
}

async function csvOf(deployment: Deployment, path: DataPath, accept: string): Promise<string> {
  const { status, bytes } = await deployment.ask({ path, headers: { Accept: accept } });
  same(`status of ${path} for ${accept}`, status, 200);
  return bytes.toString();
}

type Parsed = Pick<Cell, 'text' | 'quoted'>;

const withQuoting = (text: string, { quoting }: { quoting: boolean }): Parsed => ({ text, quoted: quoting });

function recordsOf(text: string, delimiter = ','): Parsed[][] {
  const options = { delimiter, record_delimiter: '\r\n', relax_column_count: true } as const;
  // The types of csv-parse do not cover casts to objects.
  return parse(text, { ...options, cast: withQuoting }) as unknown as Parsed[][];
}

/** Every CSV cell with its JSON value. @throws {NotTestable} if the content changed between the two responses */
async function cellsOf(deployment: Deployment, path: DataPath, accept = 'text/csv'): Promise<Cell[]> {
  const lines = await linesOf(deployment, path);
  const rows = recordsOf(await csvOf(deployment, path, accept), accept === 'text/csv' ? ',' : ';').slice(1);
  if (rows.length !== lines.length) throw new NotTestable('the content changed or a row is missing: see §10.3 csv');
  return lines.flatMap((line, index) =>
    Object.entries(JSON.parse(line) as object).map(([key, value], column) => ({
      where: `${path}[${index}].${key}`,
      text: rows[index]![column]?.text ?? '',
      quoted: rows[index]![column]?.quoted ?? false,
      value,
      key,
      line,
    })),
  );
}

/** JSON as in a JSON response: CSV escapes a formula behind a delimiter (§10.3.6). */
function withoutEscapes(json: string): string {
  return json.replaceAll(/(?<=[,;])\\u(002[7bd]|003d|0040|ff[01][0-9bd])/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The number of a key, as the JSON of an element writes it. The scalars of an element precede its nested arrays. */
function numberIn(line: string, wanted: string): string | undefined {
  for (const { key, number } of numbersIn(line)) if (key === wanted) return number;
  return undefined;
}
