import type { FileHandle } from 'node:fs/promises';
import { SPOOL_BLOCK, type SpoolSpace } from './spool-space.js';

/** How much is read at a time, in bytes. */
const CHUNK = 128 * 1024;

/** A temporary file that holds what a slow client has not taken yet, first in, first out. */
export class SpoolFile {
  private reserved = SPOOL_BLOCK;
  /** Where the next bytes are written and read. */
  private end = 0;
  private start = 0;
  /** The most that the file ever held. */
  private length = 0;

  private constructor(
    private readonly file: FileHandle,
    private readonly space: SpoolSpace,
    private readonly customerCode: string,
  ) {}

  /** @returns undefined if there is no space for a first block, or no folder to write to */
  static async open(space: SpoolSpace, customerCode: string): Promise<SpoolFile | undefined> {
    if (!(await space.reserve(customerCode))) return undefined;
    const file = await space.open();
    if (file) return new SpoolFile(file, space, customerCode);
    space.release(customerCode, SPOOL_BLOCK, SPOOL_BLOCK);
    return undefined;
  }

  /** Whether everything was read. */
  get isEmpty(): boolean {
    return this.start === this.end;
  }

  /**
   * Appends at most a block.
   * @returns false if there is no space before the file is empty; then nothing was written
   * @throws if the disk takes fewer bytes
   */
  async append(bytes: Buffer): Promise<boolean> {
    if (this.isEmpty) this.start = this.end = 0;
    if (this.end + bytes.length > this.reserved) {
      if (!(await this.space.reserve(this.customerCode))) return false;
      this.reserved += SPOOL_BLOCK;
    }
    const { bytesWritten } = await this.file.write(bytes, 0, bytes.length, this.end);
    if (bytesWritten !== bytes.length) throw new Error(`The spool file took ${bytesWritten} of ${bytes.length} bytes`);
    this.end += bytesWritten;
    this.space.written(Math.max(0, this.end - this.length));
    this.length = Math.max(this.length, this.end);
    return true;
  }

  /** Reads the next bytes; there must be some. @throws if the disk gives fewer */
  async read(): Promise<Buffer> {
    const size = Math.min(CHUNK, this.end - this.start);
    const chunk = Buffer.allocUnsafe(size);
    const { bytesRead } = await this.file.read(chunk, 0, size, this.start);
    if (bytesRead !== size) throw new Error(`The spool file gave ${bytesRead} of ${size} bytes`);
    this.start += size;
    return chunk;
  }

  async close(): Promise<void> {
    this.space.release(this.customerCode, this.reserved, this.reserved - this.length);
    await this.file.close();
  }
}
