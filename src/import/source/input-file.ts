import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SourceFault } from './table-source.js';

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** A file of an import: its bytes, as often as they are wanted, and what identifies it. */
export class InputFile {
  /** SHA-256 of the file as it lies there, in hexadecimal; undefined until it was read to its end. */
  sha256?: string;
  /** Bytes read so far in the current reading, of `size`. */
  position = 0;

  private constructor(
    readonly path: string,
    /** The file as complaints and records name it. */
    readonly name: string,
    readonly size: number,
    private readonly changedAt: number,
  ) {}

  /**
   * @param name what to call the file; by default its base name
   * @throws if there is no file at the path
   */
  static async at(path: string, name = basename(path)): Promise<InputFile> {
    const stats = await stat(path);
    if (stats.isDirectory()) throw new Error(`${path} is a directory, and has to be a file`);
    return new InputFile(path, name, stats.size, stats.mtimeMs);
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
    for await (const chunk of createReadStream(this.path) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      this.position += chunk.length;
      yield chunk;
    }
    const digest = hash.digest('hex');
    const { size, mtimeMs } = await stat(this.path);
    const changed = size !== this.size || mtimeMs !== this.changedAt || (this.sha256 ?? digest) !== digest;
    if (changed) throw new SourceFault(0, 'the file changed while it was read; import it once it is complete');
    this.sha256 = digest;
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
