import { type Command, Option } from 'commander';
import { CatalogueCheckService, type Findings } from '../check/catalogue-check.service.js';
import { RULES } from '../check/rules.js';
import { visible } from '../import/excerpt.js';
import { CommandFailed } from './command-failed.js';
import type { Print } from './output.js';
import type { Session } from './session.js';
import { table } from './table.js';

const MAX_EXAMPLES = 3;
/** Exit code if at least one rule has findings. Exit code 1 means that the check itself failed. */
const FINDINGS_EXIT_CODE = 2;
const NAMES = RULES.map(({ name }) => name);

/** Adds `catalogue check`. */
export function catalogueCommands(catalogue: Command, session: Session, print: Print): void {
  const only = new Option('--only <rule...>', 'check only these rules').choices(NAMES);
  const skip = new Option('--skip <rule...>', 'check all rules but these').choices(NAMES).conflicts('only');
  catalogue
    .command('check')
    .addOption(only)
    .addOption(skip)
    .option('--json', 'print the counts and the first examples as JSON')
    .description(
      `Finds probable mistakes although each row is valid, and records the counts for the metrics. Exit code ${FINDINGS_EXIT_CODE} if it finds anything.`,
    )
    .action(async (options: { only?: string[]; skip?: string[]; json?: true }) => {
      const names = new Set((options.only ?? NAMES).filter((name) => !options.skip?.includes(name)));
      if (!names.size) throw new CommandFailed('--skip leaves no rule to check.');
      const findings = await (await session.get(CatalogueCheckService)).run(names);
      print(options.json ? JSON.stringify(findings, null, 2) : describe(findings));
      const rules = findings.filter(({ count }) => count).length;
      if (rules) throw new CommandFailed(`${rules} of ${names.size} rules found something.`, FINDINGS_EXIT_CODE);
    });
}

function describe(findings: readonly Findings[]): string {
  const counts = findings.map(({ rule, count, description }) => [rule, String(count), description]);
  const examples = findings.flatMap(({ rule, count, examples: all }) => [
    ...all.slice(0, MAX_EXAMPLES).map((example) => visible(`${rule}: ${example}`)),
    ...(count > MAX_EXAMPLES ? [`${rule}: and ${count - MAX_EXAMPLES} more`] : []),
  ]);
  return [table(['rule', 'findings', 'description'], counts), ...examples].join('\n');
}
