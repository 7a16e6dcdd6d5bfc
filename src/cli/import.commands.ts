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
import { duration } from './duration.js';
import { positive } from './positive.js';
import type { Output, Print } from './output.js';
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

/** Defines `import` and adds `import log`. */
export function importCommands(command: Command, session: Session, print: Print, { stderr, stdin }: Output): void {
  command
    .argument('<path...>', 'folders of import files, single files, or - for standard input; may be gzipped')
    .addOption(new Option('--as <table>', 'table of the file, if its name does not show it').choices(NAMES))
    .option('--map <file>', 'column map, for a file of another system; see docs/mappings.md')
    .option('--replace', 'remove rows of the imported tables that are not in the files')
    .option('--allow-removals', 'with --replace: allow an import that removes more than 20 % of a table')
    .option(
      '--allow-price-changes',
      'allow an import that changes more than 5 % of the stored prices by more than half',
    )
    .option(
      '--allow-zero-stock',
      'allow an import that leaves no stock in a warehouse with stock of 10 or more products',
    )
    .option('--dry-run', 'roll the import back, and show what would change and what customers would see')
    .option('--max-age <duration>', 'refuse files that were last modified longer ago, such as 90m, 6h or 2d', duration)
    .option('--allow-empty', 'allow a column map that skips all rows of a file')
    .option('--delimiter <char>', 'cell separator: one character, or tab; detected by default', delimiter)
    .option('--encoding <name>', 'encoding of the text, such as windows-1252; utf-8 by default', encoding)
    .option('--decimal-comma', 'numbers have a decimal comma')
    .option('--json', 'print the summary as JSON')
    .action((paths: string[], options: Options) => runImport(paths, options));
  command
    .command('log')
    .description('Lists the latest imports with time, account, files, changes and outcome, latest first.')
    .option('--last <n>', 'number of imports', positive, 20)
    .option('--json', 'print the imports as JSON, with the SHA-256 of each file')
    .action(async ({ last, json }: { last: number; json?: true }) => {
      const runs = await (await session.get(ImportLogService)).latest(last);
      print(json ? JSON.stringify(runs, null, 2) : table(LOG_HEADERS, runs.map(logCells)));
    });

  async function runImport(paths: string[], options: Options): Promise<void> {
    const { as, map, replace, allowRemovals, allowEmpty, allowPriceChanges, allowZeroStock, dryRun, json } = options;
    if (as && map) throw new CommandFailed('Pass either --as or --map: a column map names the tables of the file.');
    if (allowRemovals && !replace) throw new CommandFailed('--allow-removals requires --replace.');
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
const COUNTS = ['rows', 'added', 'changed', 'unchanged', 'removed'] as const;
const LOG_HEADERS = ['started', 'by', 'mode', 'outcome', 'seconds', 'added', 'changed', 'removed', 'files'];

function describe({ tables, notes, priceChanges, preview, dryRun, seconds }: ImportSummary): string {
  const rows = tables.map((one) => [one.table, one.file ?? '-', ...COUNTS.map((count) => String(one[count]))]);
  const total = tables.reduce((sum, one) => sum + one.rows, 0);
  const end = dryRun ? 'Dry run: nothing was written.' : `Imported ${total} rows in ${seconds.toFixed(1)} s.`;
  const counts = table(['table', 'file', ...COUNTS], rows);
  const previewLines = previewText(priceChanges, preview);
  return [counts, ...absences(tables), ...notes.map(visible), ...previewLines, end].join('\n');
}

/** Returns a line for each table whose file lacks columns. */
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
  // A command that was killed could not record its outcome.
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
