import { Injectable } from '@nestjs/common';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseService } from '../database/database.service.js';
import { FileImport } from './file-import.js';
import { IMPORT_FILES } from './import-files.js';
import { KnownKeys } from './known-keys.js';
import { Problems } from './problems.js';
import { Upsert } from './upsert.js';

/** How many rows each file of an import held. */
export type ImportSummary = { file: string; rows: number }[];

/** Loads folders of import files: all of one, in one transaction, or nothing. */
@Injectable()
export class ImportService {
  constructor(private readonly database: DatabaseService) {}

  /**
   * Adds or overwrites, by key, every row of the folder's files; tables without a file stay as they are.
   * @throws {ImportRefused} naming every problem; then nothing is written
   */
  async importFolder(folder: string): Promise<ImportSummary> {
    const names = (await readdir(folder)).filter((name) => name.toLowerCase().endsWith('.csv'));
    return this.database.write(async (query) => {
      const problems = new Problems();
      complainOfNames(folder, names, problems);
      const known = new KnownKeys(query);
      const summary: ImportSummary = [];
      for (const file of IMPORT_FILES.filter(({ name }) => names.includes(name))) {
        const upsert = new Upsert(query, file.entity, this.database);
        const rows = await new FileImport(file, problems).run(join(folder, file.name), known, upsert);
        summary.push({ file: file.name, rows });
      }
      problems.assertNone();
      return summary;
    });
  }
}

/** A file that nobody reads would be passed over without a word. */
function complainOfNames(folder: string, names: readonly string[], problems: Problems): void {
  const known = IMPORT_FILES.map(({ name }) => name);
  const advice = `the names are ${known.join(', ')}`;
  if (!names.length) problems.add(folder, 0, `the folder holds no import file; ${advice}`);
  for (const name of names.filter((candidate) => !known.includes(candidate)))
    problems.add(name, 0, `no import file has this name; ${advice}`);
}
