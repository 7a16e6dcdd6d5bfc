import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { type FileHandle, statfs } from 'node:fs/promises';
import { SETTINGS, type Settings } from '../config/settings.js';
import { openUnnamedFile } from '../unnamed-file/open-unnamed-file.js';

const MEGABYTE = 1024 * 1024;

/** Space is reserved in blocks of this size, in bytes. */
export const SPOOL_BLOCK = MEGABYTE;

/** The type that `statfs` returns for a tmpfs. */
const TMPFS = 0x01021994;

/** The number of bytes on the disk that the service leaves free. */
const LEFT_FREE = 64 * MEGABYTE;

/** The disk space for the parts of responses that slow clients have not read yet. */
@Injectable()
export class SpoolSpace implements OnModuleInit {
  private readonly logger = new Logger(SpoolSpace.name);
  private readonly folder: string;
  private readonly budget: number;
  private readonly share: number;
  /** Reserved bytes of each customer that has any. */
  private readonly reserved = new Map<string, number>();
  private total = 0;
  /** Reserved bytes that are not written yet, so the disk still counts them as free. */
  private unwritten = 0;
  /** Whether the last attempt to use the folder succeeded. Undefined before the first. */
  private usable?: boolean;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.folder = settings.SPOOL_FOLDER;
    this.budget = settings.SPOOL_MEGABYTES * MEGABYTE;
    this.share = (this.budget * settings.SPOOL_CUSTOMER_PERCENT) / 100;
  }

  get limitBytes(): number {
    return this.budget;
  }

  /** The number of bytes that are reserved now. */
  get reservedBytes(): number {
    return this.total;
  }

  /** Logs a warning at startup if the folder cannot be used. */
  async onModuleInit(): Promise<void> {
    if (!this.budget) return void this.logger.warn(`SPOOL_MEGABYTES is 0. ${CONSEQUENCE}`);
    const isInMemory = await statfs(this.folder).then(
      ({ type }) => type === TMPFS,
      () => false,
    );
    if (isInMemory)
      this.logger.warn(
        `SPOOL_FOLDER (${this.folder}) is a tmpfs: spooled responses use memory. Set it to a folder on a disk`,
      );
    await this.probe();
  }

  /** Whether the folder is writable and the disk has space. */
  async probe(): Promise<boolean> {
    if (!this.budget) return false;
    const file = (await this.fits()) ? await this.open() : undefined;
    await file?.close();
    return file !== undefined;
  }

  /**
   * Reserves a block for a customer.
   * @returns false if the budget, the customer's share or the disk has no block left
   */
  async reserve(customerCode: string): Promise<boolean> {
    const own = this.reserved.get(customerCode) ?? 0;
    if (this.total + SPOOL_BLOCK > this.budget || own + SPOOL_BLOCK > this.share) return false;
    // Reserves the block before querying the disk, so that no other response reserves it in the meantime.
    this.total += SPOOL_BLOCK;
    this.unwritten += SPOOL_BLOCK;
    this.reserved.set(customerCode, own + SPOOL_BLOCK);
    if (await this.fits()) return true;
    this.release(customerCode, SPOOL_BLOCK, SPOOL_BLOCK);
    return false;
  }

  /** Records that reserved bytes are written now. */
  written(bytes: number): void {
    this.unwritten -= bytes;
  }

  /**
   * Releases reserved bytes.
   * @param unwritten how many of them were never written
   */
  release(customerCode: string, bytes: number, unwritten: number): void {
    this.total -= bytes;
    this.unwritten -= unwritten;
    const left = this.reserved.get(customerCode)! - bytes;
    if (left) this.reserved.set(customerCode, left);
    else this.reserved.delete(customerCode);
  }

  /**
   * Opens a file without a name, so the operating system removes it however the process ends.
   * @returns undefined if the folder cannot be used
   */
  async open(): Promise<FileHandle | undefined> {
    try {
      const file = await openUnnamedFile(this.folder, 'spool');
      this.usable = true;
      return file;
    } catch (error) {
      this.warnOnce(`cannot be used: ${(error as Error).message}`);
      return undefined;
    }
  }

  private warnOnce(problem: string): void {
    if (this.usable !== false) this.logger.warn(`SPOOL_FOLDER ${problem}. ${CONSEQUENCE}`);
    this.usable = false;
  }

  private async fits(): Promise<boolean> {
    const free = await this.free().catch(() => undefined);
    // Opening a file will report a missing folder.
    if (free === undefined || free - this.unwritten >= LEFT_FREE) return true;
    this.warnOnce(`has only ${free} bytes free`);
    return false;
  }

  /** The number of bytes on the disk that this process may still use. */
  async free(): Promise<number> {
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize;
  }
}

const CONSEQUENCE =
  'Responses to slow clients hold a database connection until they are sent, and are aborted if others wait for it';
