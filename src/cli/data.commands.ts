import type { Command } from 'commander';
import { ExportService } from '../import/export.service.js';
import { ImportService } from '../import/import.service.js';
import type { Session } from './session.js';
import { table } from './table.js';

/** `migrate`, `import` and `export`. */
export function dataCommands(program: Command, session: Session, print: (text: string) => void): void {
  program
    .command('migrate')
    .description('Brings the database to the schema of this version.')
    .action(async () => {
      const done = await (await session.unmigrated()).migrate();
      print(done.length ? `Ran ${done.join(', ')}.` : 'The schema is current.');
    });
  program
    .command('import')
    .argument('<dir>', 'folder with import files, any of those that docs/import-format.md names')
    .description('Adds or overwrites, by key, all rows of the files in a folder: all of them, or none.')
    .action(async (dir: string) => {
      const summary = await (await session.get(ImportService)).importFolder(dir);
      print(
        table(
          ['file', 'rows'],
          summary.map(({ file, rows }) => [file, String(rows)]),
        ),
      );
    });
  program
    .command('export')
    .argument('<dir>', 'folder to write to; made where it is missing, files of the same names are replaced')
    .description('Writes all products, prices, stock and customers as import files, without API keys.')
    .action(async (dir: string) => {
      await (await session.get(ExportService)).exportFolder(dir);
      print(`Written to ${dir}.`);
    });
}
