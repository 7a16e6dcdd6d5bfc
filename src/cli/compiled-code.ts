import { mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';

/** Node 20 lacks this function. */
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };

/**
 * Keeps the compiled code of the next modules in a subfolder. With it, the next start is a quarter shorter. This code runs
 * as the account of the command, so only the owner of the folder keeps it, and no other account may write to the
 * subfolder. Without effect on Node 20, on Windows, and for other accounts, such as that of the image.
 * @param folder the folder of the program
 */
export function keepCompiledCode(folder: string): void {
  if (!enableCompileCache || statSync(folder).uid !== process.getuid?.()) return;
  const kept = join(folder, 'compile-cache');
  try {
    mkdirSync(kept, { recursive: true, mode: 0o700 });
  } catch {
    // The file system is read-only or full.
    return;
  }
  enableCompileCache(kept);
}
