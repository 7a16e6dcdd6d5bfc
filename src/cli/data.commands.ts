import type { Command } from 'commander';
import { ProductDocuments } from '../catalog/product-documents.js';
import { ExportService } from '../import/export.service.js';
import type { Print } from './output.js';
import type { Session } from './session.js';

/** Defines `migrate`. */
export function migrateCommand(migrate: Command, session: Session, print: Print): void {
  migrate
    .option('--repeat', 'run all migrations again, to add columns, indexes and triggers that a restored table lacks')
    .action(async ({ repeat }: { repeat?: true }) => {
      const done = await (await session.unmigrated()).migrate(print, repeat);
      print(done.length ? `Ran ${done.join(', ')}.` : 'The schema is current.');
      const made = await (await session.get(ProductDocuments)).build();
      if (made) print(`Made ${made} document(s).`);
    });
}

/** Defines `export`. */
export function exportCommand(command: Command, session: Session, print: Print): void {
  command
    .argument(
      '<dir>',
      'folder to write to; created if missing. Files with the same names are replaced after all new ones are complete',
    )
    .action(async (dir: string) => {
      await (await session.get(ExportService)).exportFolder(dir);
      print(`Written to ${dir}.`);
    });
}
