// Finds commits of this clone, and writes their files.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ExpectedError } from '../expected-error.mjs';

/** The folder of this checkout. */
export const ROOT = join(import.meta.dirname, '../..');

/** The standard output of a git command. @throws with the text of its standard error, if it fails */
export function git(...args) {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  } catch (error) {
    if (error.code === 'ENOENT') throw new ExpectedError('The comparison needs git: install it.');
    throw new ExpectedError(`git ${args[0]} failed: ${error.stderr.trim()}`);
  }
}

/** @param revision anything that names a commit @returns the hash of the commit */
export function commitOf(revision) {
  git('rev-parse', '--git-dir');
  try {
    return git('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`);
  } catch {
    const missing = isShallow() ? 'this clone is shallow: run git fetch --unshallow --tags' : 'run git fetch --tags';
    throw new ExpectedError(`"${revision}" is not a commit in this clone. If it exists elsewhere, ${missing}.`);
  }
}

/** Whether the clone lacks older commits. */
export const isShallow = () => git('rev-parse', '--is-shallow-repository') === 'true';

/** The short hash, the time and the subject of a commit. */
export const describeCommit = (commit) => git('log', '-1', '--format=%h (%ci: %s)', commit);

/** The commit of this checkout, and whether its files differ from it. */
export function describeCheckout() {
  return `${describeCommit('HEAD')}${git('status', '--porcelain') && ', with changes that are not committed'}`;
}

/** Writes the files of a commit to a new folder. Unlike a worktree, the folder leaves no trace in the clone. */
export function writeCommit(commit, folder) {
  mkdirSync(folder);
  const archive = `${folder}.tar`;
  git('archive', `--output=${archive}`, commit);
  execFileSync('tar', ['-xf', archive, '-C', folder]);
}
