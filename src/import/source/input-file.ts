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

/** A file of an import. Its bytes can be read any number of times. */
export class InputFile {
  /** SHA-256 of the file, compressed if it is gzip, in hexadecimal; undefined until the file was read to its end. */
  sha256?: string;
  /** Raw bytes read so far in the current reading, of `size`. */
  position = 0;

  /** @param place its path, or the temporary file that holds a copy */
  private constructor(
    private readonly place: string | FileHandle,
    /** The name of the file in problems and in the import log. */
    readonly name: string,
    readonly size: number,
    private readonly changedAt: number,
  ) {}

  /**
   * Opens the file at a path; its name is the base name. A pipe, like standard input, is first copied to a temporary file.
   * @throws if the file does not exist or cannot be read
   */
  static async at(path: string): Promise<InputFile> {
    const name = basename(path);
    const stats = await stat(path);
    if (!stats.isFile()) return InputFile.from((await open(path)).createReadStream(), name);
    return new InputFile(path, name, stats.size, stats.mtimeMs);
  }

  /** Copies a stream to a temporary file: a stream can be read only once, and a slow one must not delay an import. */
  static async from(stream: Readable, name: string): Promise<InputFile> {
    const handle = await spoolToTempFile(stream);
    const { size, mtimeMs } = await handle.stat();
    return new InputFile(handle, name, size, mtimeMs);
  }

  /** The time of the last modification, in milliseconds since 1970; undefined for standard input and pipes. */
  get modifiedAt(): number | undefined {
    return typeof this.place === 'string' ? this.changedAt : undefined;
  }

  /** Releases the temporary file, if there is one. */
  async close(): Promise<void> {
    if (typeof this.place !== 'string') await this.place.close();
  }

  /**
   * Reads the content from its beginning and decompresses gzip.
   * @throws {SourceFault} if the gzip data is incomplete or damaged, or if the file changes while it is read
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
      // A reader that stops after the first piece never starts to iterate over the rest, so nothing else closes it.
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
    return typeof this.place === 'string' ? createReadStream(this.place) : readFromStart(this.place);
  }

  private stat(): Promise<Stats> {
    return typeof this.place === 'string' ? stat(this.place) : this.place.stat();
  }
}

/** Unlike a stream, does not close the file. */
async function* readFromStart(handle: FileHandle): AsyncGenerator<Buffer> {
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
  // The iteration below throws the errors of both streams.
  pipeline(Readable.from(source), unzip, () => undefined);
  try {
    yield* unzip as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof SourceFault) throw error;
    throw new SourceFault(0, `the file is not a complete gzip file: ${(error as Error).message}`);
  }
}
