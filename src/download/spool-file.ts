import type { FileHandle } from 'node:fs/promises';
import { SPOOL_BLOCK, type SpoolSpace } from './spool-space.js';

/** The number of bytes that are read at a time. */
const CHUNK = 128 * 1024;

/** A temporary file with the bytes that a slow client has not read yet, first in, first out. */
export class SpoolFile {
  private reserved = SPOOL_BLOCK;
  /** Offset of the next write. */
  private end = 0;
  /** Offset of the next read. */
  private start = 0;
  /** The largest size so far. */
  private length = 0;

  private constructor(
    private readonly file: FileHandle,
    private readonly space: SpoolSpace,
    private readonly customerCode: string,
  ) {}

  /** @returns undefined if there is no space for a first block or the folder is not writable */
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
   * Appends at most one block.
   * @returns false if there is no space until the file has been read; nothing was written then
   * @throws if the disk writes fewer bytes
   */
  async append(bytes: Buffer): Promise<boolean> {
    if (this.isEmpty) this.start = this.end = 0;
    if (this.end + bytes.length > this.reserved) {
      if (!(await this.space.reserve(this.customerCode))) return false;
      this.reserved += SPOOL_BLOCK;
    }
    const { bytesWritten } = await this.file.write(bytes, 0, bytes.length, this.end);
    if (bytesWritten !== bytes.length)
      throw new Error(`The disk wrote only ${bytesWritten} of ${bytes.length} bytes to the spool file`);
    this.end += bytesWritten;
    this.space.written(Math.max(0, this.end - this.length));
    this.length = Math.max(this.length, this.end);
    return true;
  }

  /**
   * Reads the next bytes. The file must not be empty.
   * @throws if the disk returns fewer bytes
   */
  async read(): Promise<Buffer> {
    const size = Math.min(CHUNK, this.end - this.start);
    const chunk = Buffer.allocUnsafe(size);
    const { bytesRead } = await this.file.read(chunk, 0, size, this.start);
    if (bytesRead !== size) throw new Error(`The disk returned only ${bytesRead} of ${size} bytes of the spool file`);
    this.start += size;
    return chunk;
  }

  async close(): Promise<void> {
    this.space.release(this.customerCode, this.reserved, this.reserved - this.length);
    await this.file.close();
  }
}
