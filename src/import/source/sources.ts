import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { IMPORT_TABLES, type ImportTable } from '../import-tables.js';
import { Problems } from '../problems.js';
import { CsvSource } from './csv/csv-source.js';
import { InputFile } from './input-file.js';
import { productSources } from './json/json-source.js';
import { type Mapping, readMapping } from './map/mapping.js';
import { type MappedFile, mappedSources } from './mapped/mapped-source.js';
import { type ReadingOptions, SourceFault, type TableSource } from './table-source.js';
import { whyUnreadable } from './unreadable.js';

/** What to read, and how. */
export interface SourceRequest {
  /** Folders, files, `-` for standard input. */
  paths: readonly string[];
  /** The table of the only file, where its name does not tell. */
  as?: string;
  /** Path of a map, for files of other systems. */
  map?: string;
  reading?: Partial<ReadingOptions>;
}

/** What an import reads. */
export interface Sources {
  /** One for each table at the most. */
  sources: readonly TableSource[];
  files: readonly InputFile[];
  fileOf(source: TableSource): InputFile;
  /** What the reading passed over on purpose. */
  notes(): string[];
  /** Files of which no row came through, and why. To be asked after all sources were read. */
  empty(): { file: string; message: string }[];
  /** Gives up what was put aside. */
  close(): Promise<void>;
}

const STDIN = '-';
const STDIN_NAME = 'standard input';
/** Files of a folder that look like import files; one of these with an unknown name is not passed over. */
const DATA_FILE = /\.(csv|ndjson|jsonl)(\.gz)?$|^products\.json(\.gz)?$/i;
const NAMES = `the names are ${IMPORT_TABLES.map(({ name }) => `${name}.csv`).join(', ')}`;

/**
 * Finds out what the paths hold. Of files nothing is read beyond the first bytes; standard input and pipes are put aside.
 * @throws {ImportRefused} naming files and folders that are none of ours or cannot be read, or whatever is wrong with the
 *   map
 */
export async function openSources(request: SourceRequest, stdin?: Readable): Promise<Sources> {
  const opening = new SourceOpener(request, stdin);
  try {
    return await opening.run();
  } catch (error) {
    await opening.close();
    throw error;
  }
}

class SourceOpener {
  private readonly problems = new Problems();
  private readonly files = new Map<TableSource, InputFile>();
  /** Each tells what it has to say of a file that was read. */
  private readonly noters: (() => readonly string[])[] = [];
  private readonly mapped: { file: InputFile; read: MappedFile }[] = [];
  private readonly opened: InputFile[] = [];
  private readonly options: ReadingOptions;

  constructor(
    private readonly request: SourceRequest,
    private readonly stdin?: Readable,
  ) {
    const { encoding = 'utf-8', decimalComma = false, delimiter } = request.reading ?? {};
    this.options = { encoding, decimalComma, delimiter };
  }

  async run(): Promise<Sources> {
    const { map, paths } = this.request;
    const mapping = map === undefined ? undefined : await readMapping(map);
    for (const path of paths) await this.openPath(path, mapping);
    this.assertOneEach();
    this.problems.assertNone();
    return {
      sources: [...this.files.keys()],
      files: [...new Set(this.files.values())],
      fileOf: (source) => this.files.get(source)!,
      notes: () => [...this.noters, ...this.mapped.map(({ read }) => read.notes)].flatMap((notes) => notes()),
      empty: () =>
        this.mapped.flatMap(({ file, read }) => {
          const message = read.whyEmpty();
          return message ? [{ file: file.name, message }] : [];
        }),
      close: () => this.close(),
    };
  }

  async close(): Promise<void> {
    for (const file of this.opened) await file.close();
  }

  private async openPath(path: string, mapping?: Mapping): Promise<void> {
    if (path === STDIN) return this.named(STDIN_NAME, () => this.openStdin(mapping));
    return this.named(path, async () => {
      if ((await stat(path)).isDirectory()) return this.openFolder(path, mapping);
      const file = this.noted(await InputFile.at(path));
      if (mapping) return this.addMapped(file, mapping);
      const problem = `no import file has this name; ${NAMES}; or say by --as which table it is for, or by --map how to read it`;
      return this.addFile(file, this.request.as ?? tableName(file.name), problem);
    });
  }

  private async openStdin(mapping?: Mapping): Promise<void> {
    if (this.opened.some(({ name }) => name === STDIN_NAME))
      return this.problems.add(STDIN_NAME, 0, '', 'it can be read once only, and is named twice');
    const file = this.noted(await InputFile.from(this.stdin ?? process.stdin, STDIN_NAME));
    if (mapping) return this.addMapped(file, mapping);
    return this.addFile(file, this.request.as ?? '', 'say by --as which table it is for, or by --map how to read it');
  }

  private async openFolder(folder: string, mapping?: Mapping): Promise<void> {
    if (mapping ?? this.request.as)
      return this.problems.add(folder, 0, '', 'this is a folder; name the file that --as or --map is about');
    const names = (await readdir(folder)).filter((name) => DATA_FILE.test(name)).toSorted();
    if (!names.length) this.problems.add(folder, 0, '', `the folder holds no import file; ${NAMES}`);
    for (const name of names)
      await this.named(join(folder, name), async () => {
        const file = this.noted(await InputFile.at(join(folder, name)));
        await this.addFile(file, tableName(name), `no import file has this name; ${NAMES}`);
      });
  }

  /** Does something about a path. That it cannot be read is one problem of perhaps several. */
  private async named(path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.problems.add(path, 0, '', whyUnreadable(error));
    }
  }

  private noted(file: InputFile): InputFile {
    this.opened.push(file);
    return file;
  }

  private async addFile(file: InputFile, name: string, problem: string): Promise<void> {
    const table = IMPORT_TABLES.find((candidate) => candidate.name === name);
    if (!table) return this.problems.add(file.name, 0, '', problem);
    for (const source of (await isJson(file))
      ? this.jsonSources(file, table)
      : [new CsvSource(file, table, this.options)])
      this.files.set(source, file);
  }

  private jsonSources(file: InputFile, { name }: ImportTable): readonly TableSource[] {
    if (name === 'products') {
      const { sources, notes } = productSources(file, this.options);
      this.noters.push(notes);
      return sources;
    }
    this.problems.add(file.name, 0, '', 'this is JSON, of which only products can be read; give the rest as CSV');
    return [];
  }

  private addMapped(file: InputFile, mapping: Mapping): void {
    const read = mappedSources(file, mapping, this.request.reading ?? {});
    for (const source of read.sources) this.files.set(source, file);
    this.mapped.push({ file, read });
  }

  private assertOneEach(): void {
    const first = new Map<ImportTable, TableSource>();
    for (const source of this.files.keys()) {
      const other = first.get(source.table);
      if (other)
        this.problems.add(
          source.file,
          0,
          '',
          `${source.table.name} come from ${other.file} already; import one after the other`,
        );
      else first.set(source.table, source);
    }
  }
}

/** The table that a file is named after. */
function tableName(name: string): string {
  return basename(name).replace(/(\.(csv|ndjson|jsonl|json))?(\.gz)?$/, '');
}

/** Whether the content begins like JSON; no header of a CSV file does. What is wrong with it is told when it is read. */
async function isJson(file: InputFile): Promise<boolean> {
  try {
    for await (const chunk of file.bytes()) return /^\uFEFF?\s*[[{]/.test(chunk.toString('utf8', 0, 1000));
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
  }
  return false;
}
