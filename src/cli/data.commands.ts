import type { Command } from 'commander';
import { ProductDocuments } from '../catalog/product-documents.js';
import { ExportService } from '../import/export.service.js';
import type { Session } from './session.js';

/** Adds `migrate` and `export`. */
export function dataCommands(program: Command, session: Session, print: (text: string) => void): void {
  program
    .command('migrate')
    .description('Updates the database to the schema of this release, and builds missing product documents.')
    .option('--repeat', 'run all migrations again, to add columns, indexes and triggers that a restored table lacks')
    .action(async ({ repeat }: { repeat?: true }) => {
      const done = await (await session.unmigrated()).migrate(print, repeat);
      print(done.length ? `Ran ${done.join(', ')}.` : 'The schema is current.');
      const made = await (await session.get(ProductDocuments)).build();
      if (made) print(`Made ${made} document(s).`);
    });
  program
    .command('export')
    .argument(
      '<dir>',
      'folder to write to; created if missing. Files with the same names are replaced after all new ones are complete',
    )
    .description('Writes all products, prices, stock and customers as import files, without API keys.')
    .action(async (dir: string) => {
      await (await session.get(ExportService)).exportFolder(dir);
      print(`Written to ${dir}.`);
    });
}
