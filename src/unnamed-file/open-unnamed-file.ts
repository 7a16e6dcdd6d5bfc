import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Opens a new file to write and read that only this account can read. The file has no name any more, so the system
 * removes it with the process, however that ends.
 * @param purpose part of the name that the file has for a moment
 * @throws errors of the file system
 */
export async function openUnnamedFile(folder: string, purpose: string): Promise<FileHandle> {
  const path = join(folder, `customer-data-${purpose}-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
