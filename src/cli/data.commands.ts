import type { Command } from 'commander';
import { ProductDocuments } from '../catalog/product-documents.js';
import { ExportService } from '../import/export.service.js';
import type { Session } from './session.js';

/** `migrate` and `export`. */
export function dataCommands(program: Command, session: Session, print: (text: string) => void): void {
  program
    .command('migrate')
    .description('Brings the database to the schema of this version, and its documents of products to its shape.')
    .option('--repeat', 'run all migrations again: adds columns, indexes and triggers that a restored table lacks')
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
      'folder to write to; made if it is missing. Files of the same names are replaced once all new ones are complete',
    )
    .description('Writes all products, prices, stock and customers as import files, without API keys.')
    .action(async (dir: string) => {
      await (await session.get(ExportService)).exportFolder(dir);
      print(`Written to ${dir}.`);
    });
}
