import { type Command, InvalidArgumentError, Option } from 'commander';
import { visible } from '../import/excerpt.js';
import { ImportLogService } from '../import/import-log.service.js';
import type { ImportRun } from '../import/import-run.entity.js';
import type { ImportSummary, TableSummary } from '../import/import-summary.js';
import { IMPORT_TABLES } from '../import/import-tables.js';
import { ImportService } from '../import/import.service.js';
import { ImportRefused } from '../import/problems.js';
import { delimiterProblem } from '../import/source/csv/delimiter.js';
import { encodingProblem } from '../import/source/encoding.js';
import { CommandFailed } from './command-failed.js';
import { ImportProgressDisplay } from './import-progress.js';
import { previewText, withExactSample } from './import-preview.js';
import { positive } from './positive.js';
import type { Output } from './output.js';
import type { Session } from './session.js';
import { table } from './table.js';

interface Options {
  as?: string;
  map?: string;
  replace?: true;
  allowRemovals?: true;
  allowPriceChanges?: true;
  allowZeroStock?: true;
  dryRun?: true;
  maxAge?: number;
  allowEmpty?: true;
  delimiter?: string;
  encoding?: string;
  decimalComma?: true;
  json?: true;
}

/** `import` and `import log`. */
export function importCommands(program: Command, session: Session, { stdout, stderr, stdin }: Output): void {
  const print = (text: string) => void stdout.write(`${text}\n`);
  const command = program
    .command('import')
    .argument('<path...>', 'folders of import files, single files, or - for standard input; gzip is fine')
    .description('Adds or overwrites, by key, all rows of the files: all of them, or none. See docs/import-format.md.')
    .addOption(new Option('--as <table>', 'what the file holds, where its name does not tell').choices(NAMES))
    .option('--map <file>', 'the file is of another system; this file maps its headers to ours, see docs/mappings.md')
    .option('--replace', 'the files are the whole truth: rows of their tables that are not in them go')
    .option('--allow-removals', 'with --replace: even if more than 20 % of a table go')
    .option('--allow-price-changes', 'even if more than 5 % of the stored prices change by more than half')
    .option('--allow-zero-stock', 'even if a warehouse that has stock of 10 products or more would have none')
    .option('--dry-run', 'roll the import back, show what would change and what customers would see')
    .option('--max-age <duration>', 'refuse files that were last modified longer ago, such as 90m, 6h or 2d', duration)
    .option('--allow-empty', 'even if a map passes over all rows of a file')
    .option('--delimiter <char>', 'what separates the cells: one character, or tab; default: found out', delimiter)
    .option('--encoding <name>', 'how the text is encoded, such as windows-1252; default: utf-8', encoding)
    .option('--decimal-comma', 'numbers have a comma before their decimals')
    .option('--json', 'print the summary as JSON')
    .action((paths: string[], options: Options) => runImport(paths, options));
  command
    .command('log')
    .description('Lists the latest imports, latest first: when, who, which files, what changed, how it ended.')
    .option('--last <n>', 'how many', positive, 20)
    .option('--json', 'print them as JSON, with the SHA-256 of each file')
    .action(async ({ last, json }: { last: number; json?: true }) => {
      const runs = await (await session.get(ImportLogService)).latest(last);
      print(json ? JSON.stringify(runs, null, 2) : table(LOG_HEADERS, runs.map(logCells)));
    });

  async function runImport(paths: string[], options: Options): Promise<void> {
    const { as, map, replace, allowRemovals, allowEmpty, allowPriceChanges, allowZeroStock, dryRun, json } = options;
    if (as && map)
      throw new CommandFailed('--as and --map exclude each other: the map says which tables the file holds.');
    if (allowRemovals && !replace) throw new CommandFailed('--allow-removals goes with --replace only.');
    const { encoding: textEncoding, delimiter: separator, decimalComma } = options;
    const reading = { encoding: textEncoding, delimiter: separator, decimalComma };
    const service = await session.get(ImportService);
    const progress = new ImportProgressDisplay(stderr);
    try {
      const guards = { allowRemovals, allowEmpty, allowPriceChanges, allowZeroStock };
      const request = { paths, as, map, reading, replace, dryRun, maxAgeMs: options.maxAge, ...guards };
      const summary = await service.run(request, (event) => progress.show(event), stdin);
      progress.end();
      print(
        json ? withExactSample({ outcome: summary.dryRun ? 'dry-run' : 'imported', ...summary }) : describe(summary),
      );
    } catch (error) {
      progress.end();
      if (json && error instanceof ImportRefused) {
        const { problems, count, groups } = error;
        print(JSON.stringify({ outcome: 'refused', problemCount: count, problems, groups }, null, 2));
      }
      throw error;
    }
  }
}

const NAMES = IMPORT_TABLES.map(({ name }) => name);
/** Milliseconds in each unit of `--max-age`. */
const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const COUNTS = ['rows', 'added', 'changed', 'unchanged', 'removed'] as const;
const LOG_HEADERS = ['started', 'by', 'mode', 'outcome', 'seconds', 'added', 'changed', 'removed', 'files'];

function describe({ tables, notes, priceChanges, preview, dryRun, seconds }: ImportSummary): string {
  const rows = tables.map((one) => [one.table, one.file ?? '-', ...COUNTS.map((count) => String(one[count]))]);
  const total = tables.reduce((sum, one) => sum + one.rows, 0);
  const end = dryRun ? 'Dry run: nothing was written.' : `Imported ${total} rows in ${seconds.toFixed(1)} s.`;
  const counts = table(['table', 'file', ...COUNTS], rows);
  const seen = previewText(priceChanges, preview);
  return [counts, ...absences(tables), ...notes.map(visible), ...seen, end].join('\n');
}

/** One line for each table whose file lacks columns. */
function absences(tables: readonly TableSummary[]): string[] {
  return tables
    .filter(({ absentColumns }) => absentColumns.length)
    .map(
      ({ table: name, absentColumns }) =>
        `${name}: the file has no ${absentColumns.join(', ')}. Stored rows keep their values, new rows have none.`,
    );
}

function logCells({ StartedAt, EndedAt, StartedBy, Mode, Outcome, Tables, Files }: ImportRun): string[] {
  const sum = (count: 'added' | 'changed' | 'removed') =>
    String((Tables ?? []).reduce((total, one) => total + one[count], 0));
  const seconds = EndedAt ? ((EndedAt.getTime() - StartedAt.getTime()) / 1000).toFixed(1) : '-';
  const files = (Files ?? []).map(({ name, sha256 }) => (sha256 ? `${name} (${sha256.slice(0, 12)})` : name));
  // A killed command leaves no outcome.
  const outcome = Outcome ?? 'unfinished';
  const counts = [sum('added'), sum('changed'), sum('removed')];
  return [StartedAt.toISOString(), StartedBy, Mode, outcome, seconds, ...counts, files.join(', ')];
}

function delimiter(text: string): string {
  refuse(delimiterProblem(text));
  return text === 'tab' ? '\t' : text;
}

function encoding(text: string): string {
  refuse(encodingProblem(text));
  return text;
}

function refuse(problem: string | undefined): void {
  if (problem) throw new InvalidArgumentError(`It ${problem}.`);
}

/** @returns the duration in milliseconds */
function duration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  if (!unit) throw new InvalidArgumentError('Write a duration such as 90m, 6h or 2d.');
  return Number(count) * UNITS[unit as keyof typeof UNITS];
}
