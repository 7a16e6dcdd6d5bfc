import type { Command } from 'commander';
import { ProductDocuments } from '../catalog/product-documents.js';
import { command } from '../config/command.js';
import { CommandFailed } from './command-failed.js';
import type { Print } from './output.js';
import type { Session } from './session.js';

const MAX_SKUS = 20;

/** Adds `documents build` and `documents check`. */
export function documentsCommands(documents: Command, session: Session, print: Print): void {
  documents
    .command('build')
    .option('--all', 'rebuild existing documents as well, for example after a check that found differences')
    .description('Builds missing documents. Imports do this themselves.')
    .action(async ({ all }: { all?: true }) => {
      const count = await (await session.get(ProductDocuments)).build(all);
      print(`Made ${count} document(s).`);
    });
  documents
    .command('check')
    .description('Compares every document with its rows. Exit code 1 if a document differs.')
    .action(async () => {
      const { products, missing, different } = await (await session.get(ProductDocuments)).check();
      print(`${products} product(s): ${missing} without a document, ${different.length} with one that differs.`);
      if (!different.length) return;
      const skus = different.slice(0, MAX_SKUS).join(', ') + (different.length > MAX_SKUS ? ', …' : '');
      throw new CommandFailed(
        `These documents differ from their rows: ${skus}. To rebuild them, run: ${command('documents build --all')}`,
      );
    });
}
