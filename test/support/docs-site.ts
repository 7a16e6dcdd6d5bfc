import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(__dirname, '../..');

/**
 * Writes the documentation site with the command that operators use.
 * @returns the new folder of the site
 */
export async function writeDocsSite(baseUrl: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'customer-data-site-'));
  const args = ['run', '-s', 'docs:site', '--', '--base-url', baseUrl, '--output', folder];
  await promisify(execFile)('npm', args, { cwd: ROOT });
  return folder;
}
