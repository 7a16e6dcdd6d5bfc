import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/**
 * Copies a stream to its end into a temporary file. That has no name any more, so that it is gone when it is closed,
 * however the process ends.
 */
export async function putAside(stream: Readable): Promise<FileHandle> {
  const path = join(tmpdir(), `customer-data-import-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    await writeFile(handle, stream);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}
