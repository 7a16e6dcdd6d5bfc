import type { Command } from 'commander';
import { ProductDocuments } from '../catalog/product-documents.js';
import { command } from '../config/command.js';
import { CommandFailed } from './command-failed.js';
import type { Session } from './session.js';

const SHOWN = 20;

/** `documents build` and `check`. */
export function documentsCommands(program: Command, session: Session, print: (text: string) => void): void {
  const documents = program
    .command('documents')
    .description('Sees to the stored documents of products, which GET /products is made of.');
  documents
    .command('build')
    .option('--all', 'make those anew that are there, too; for example after a check that found differences')
    .description('Makes the documents that are missing. Imports do so themselves.')
    .action(async ({ all }: { all?: true }) => {
      const count = await (await session.get(ProductDocuments)).build(all);
      print(`Made ${count} document(s).`);
    });
  documents
    .command('check')
    .description('Compares every document with the rows that it was made from; exit code 1 if any differs.')
    .action(async () => {
      const { products, missing, different } = await (await session.get(ProductDocuments)).check();
      print(`${products} product(s): ${missing} without a document, ${different.length} with one that differs.`);
      if (!different.length) return;
      const skus = different.slice(0, SHOWN).join(', ') + (different.length > SHOWN ? ', …' : '');
      throw new CommandFailed(
        `These differ from their rows: ${skus}. To mend them: ${command('documents build --all')}`,
      );
    });
}
