import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { IMPORT_TABLES, type ImportTable } from '../import-tables.js';
import { Problems } from '../problems.js';
import { CsvSource } from './csv/csv-source.js';
import { InputFile } from './input-file.js';
import { productSources } from './json/json-source.js';
import type { MappedFile } from './mapped/mapped-source.js';
import { type ReadingOptions, SourceFault, type TableSource } from './table-source.js';
import { whyUnreadable } from './unreadable.js';

/** The files that an import reads, and how it reads them. */
export interface SourceRequest {
  /** Folders, files, or `-` for standard input. */
  paths: readonly string[];
  /** The table of the only file, if the file is not named after it. */
  as?: string;
  /** The path of a column map, for files of other systems. */
  map?: string;
  reading?: Partial<ReadingOptions>;
}

/** The opened files of an import, as sources of rows. */
export interface Sources {
  /** At most one for each table. */
  sources: readonly TableSource[];
  files: readonly InputFile[];
  fileOf(source: TableSource): InputFile;
  /** Missing parts of the files and data that was skipped on purpose, one line each. */
  notes(): string[];
  /** Files that gave no rows, and why. Call it after all sources were read. */
  empty(): { file: string; message: string }[];
  /** Releases the temporary files. */
  close(): Promise<void>;
}

const STDIN = '-';
const STDIN_NAME = 'standard input';
/**
 * Files of a folder that look like import files. The import refuses such a file if its name is unknown. Other files are
 * ignored.
 */
const DATA_FILE = /\.(csv|ndjson|jsonl)(\.gz)?$|^products\.json(\.gz)?$/i;
const NAMES = `the names are ${IMPORT_TABLES.map(({ name }) => `${name}.csv`).join(', ')}`;

/**
 * Determines which tables the paths contain. It reads only the first bytes of files, but copies standard input and
 * pipes to temporary files.
 * @throws {ImportRefused} if the column map is invalid, or if files or folders have unknown names or cannot be read;
 *   it lists all of them
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

/** Returns the sources of a file, as the column map describes them. */
type ReadMapped = (file: InputFile) => MappedFile;

class SourceOpener {
  private readonly problems = new Problems();
  private readonly files = new Map<TableSource, InputFile>();
  /** Functions that return the notes on a file of products once it was read. */
  private readonly productNotes: (() => readonly string[])[] = [];
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
    const readMapped = map === undefined ? undefined : await this.mappedReader(map);
    for (const path of paths) await this.openPath(path, readMapped);
    this.assertOneSourcePerTable();
    this.problems.assertNone();
    return {
      sources: [...this.files.keys()],
      files: [...new Set(this.files.values())],
      fileOf: (source) => this.files.get(source)!,
      notes: () => [...this.productNotes, ...this.mapped.map(({ read }) => read.notes)].flatMap((notes) => notes()),
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

  /** Reads a column map. Only an import with one loads the code for it and the YAML parser. @throws {ImportRefused} */
  private async mappedReader(map: string): Promise<ReadMapped> {
    const { readMapping } = await import('./map/mapping.js');
    const { mappedSources } = await import('./mapped/mapped-source.js');
    const mapping = await readMapping(map);
    return (file) => mappedSources(file, mapping, this.request.reading ?? {});
  }

  private async openPath(path: string, readMapped?: ReadMapped): Promise<void> {
    if (path === STDIN) return this.reportIfUnreadable(STDIN_NAME, () => this.openStdin(readMapped));
    return this.reportIfUnreadable(path, async () => {
      if ((await stat(path)).isDirectory()) return this.openFolder(path, readMapped);
      const file = this.register(await InputFile.at(path));
      if (readMapped) return this.addMapped(file, readMapped(file));
      const problem = `no import file has this name; ${NAMES}; otherwise pass its table with --as or its column map with --map`;
      return this.addFile(file, this.request.as ?? tableName(file.name), problem);
    });
  }

  private async openStdin(readMapped?: ReadMapped): Promise<void> {
    if (this.opened.some(({ name }) => name === STDIN_NAME))
      return this.problems.add(STDIN_NAME, 0, '', 'it is named twice, but can be read only once; name - once');
    const file = this.register(await InputFile.from(this.stdin ?? process.stdin, STDIN_NAME));
    if (readMapped) return this.addMapped(file, readMapped(file));
    return this.addFile(file, this.request.as ?? '', 'pass its table with --as or its column map with --map');
  }

  private async openFolder(folder: string, readMapped?: ReadMapped): Promise<void> {
    if (readMapped ?? this.request.as)
      return this.problems.add(folder, 0, '', 'this is a folder; --as and --map need a file');
    const names = (await readdir(folder)).filter((name) => DATA_FILE.test(name)).toSorted();
    if (!names.length) this.problems.add(folder, 0, '', `the folder contains no import file; ${NAMES}`);
    for (const name of names)
      await this.reportIfUnreadable(join(folder, name), async () => {
        const file = this.register(await InputFile.at(join(folder, name)));
        await this.addFile(file, tableName(name), `no import file has this name; ${NAMES}`);
      });
  }

  /** Runs work on a path. An unreadable path becomes one of the problems, so that the others are still found. */
  private async reportIfUnreadable(path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.problems.add(path, 0, '', whyUnreadable(error));
    }
  }

  /** Registers a file so that `close` releases it. */
  private register(file: InputFile): InputFile {
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
      this.productNotes.push(notes);
      return sources;
    }
    this.problems.add(
      file.name,
      0,
      '',
      'this is JSON, but only products can be read from JSON; save this table as CSV',
    );
    return [];
  }

  private addMapped(file: InputFile, read: MappedFile): void {
    for (const source of read.sources) this.files.set(source, file);
    this.mapped.push({ file, read });
  }

  private assertOneSourcePerTable(): void {
    const first = new Map<ImportTable, TableSource>();
    for (const source of this.files.keys()) {
      const other = first.get(source.table);
      if (other)
        this.problems.add(
          source.file,
          0,
          '',
          `the table ${source.table.name} is already read from ${other.file}; import the files one after the other`,
        );
      else first.set(source.table, source);
    }
  }
}

/** Returns the name of the table that a file is named after. */
function tableName(name: string): string {
  return basename(name).replace(/(\.(csv|ndjson|jsonl|json))?(\.gz)?$/, '');
}

/** Whether the content begins like JSON; no CSV header does. Faults are ignored here: reading the file reports them. */
async function isJson(file: InputFile): Promise<boolean> {
  try {
    for await (const chunk of file.bytes()) return /^\uFEFF?\s*[[{]/.test(chunk.toString('utf8', 0, 1000));
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
  }
  return false;
}
