import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { spoolToTempFile } from './spool-to-temp-file.js';
import { SourceFault } from './table-source.js';

const PIECE = 64 * 1024;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** A file of an import: its bytes, as often as they are wanted, and what identifies it. */
export class InputFile {
  /** SHA-256 of the file as it lies there, in hexadecimal; undefined until it was read to its end. */
  sha256?: string;
  /** Bytes read so far in the current reading, of `size`. */
  position = 0;

  /** @param place its path, or where it was put aside */
  private constructor(
    private readonly place: string | FileHandle,
    /** The file as problems and records name it. */
    readonly name: string,
    readonly size: number,
    private readonly changedAt: number,
  ) {}

  /**
   * The file at a path, by its base name. A pipe is put aside first, as standard input is.
   * @throws if there is none, or it cannot be read
   */
  static async at(path: string): Promise<InputFile> {
    const name = basename(path);
    const stats = await stat(path);
    if (!stats.isFile()) return InputFile.from((await open(path)).createReadStream(), name);
    return new InputFile(path, name, stats.size, stats.mtimeMs);
  }

  /** What a stream brings, which can be read once only, and perhaps slowly: it must not hold others up. */
  static async from(stream: Readable, name: string): Promise<InputFile> {
    const handle = await spoolToTempFile(stream);
    const { size, mtimeMs } = await handle.stat();
    return new InputFile(handle, name, size, mtimeMs);
  }

  /** When the file was last modified, in milliseconds since 1970. Undefined for standard input and pipes. */
  get modifiedAt(): number | undefined {
    return typeof this.place === 'string' ? this.changedAt : undefined;
  }

  /** Gives up what was put aside. */
  async close(): Promise<void> {
    if (typeof this.place !== 'string') await this.place.close();
  }

  /**
   * The content from its beginning, decompressed where it is gzip.
   * @throws {SourceFault} if it is cut or damaged gzip, or changes while it is read
   */
  async *bytes(): AsyncGenerator<Buffer> {
    this.position = 0;
    const raw = this.raw();
    try {
      const first = await raw.next();
      if (first.done) return;
      const all = prepend(first.value, raw);
      yield* first.value.subarray(0, 2).equals(GZIP_MAGIC) ? gunzip(all) : all;
    } finally {
      // Whoever stops after the first piece has not come as far as to iterate over the rest.
      await raw.return(undefined);
    }
  }

  private async *raw(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    for await (const chunk of this.read()) {
      hash.update(chunk);
      this.position += chunk.length;
      yield chunk;
    }
    const digest = hash.digest('hex');
    const { size, mtimeMs } = await this.stat();
    const changed = size !== this.size || mtimeMs !== this.changedAt || (this.sha256 ?? digest) !== digest;
    if (changed) throw new SourceFault(0, 'the file changed while it was read; import it once it is complete');
    this.sha256 = digest;
  }

  private read(): AsyncIterable<Buffer> {
    return typeof this.place === 'string' ? createReadStream(this.place) : readAgain(this.place);
  }

  private stat(): Promise<Stats> {
    return typeof this.place === 'string' ? stat(this.place) : this.place.stat();
  }
}

/** From its beginning, and without closing it, as a stream would. */
async function* readAgain(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(PIECE), 0, PIECE, position);
    if (!bytesRead) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* prepend(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

async function* gunzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const unzip = createGunzip();
  // Errors of both ends come out of the iteration.
  pipeline(Readable.from(source), unzip, () => undefined);
  try {
    yield* unzip as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof SourceFault) throw error;
    throw new SourceFault(0, `the file is no whole gzip file: ${(error as Error).message}`);
  }
}
