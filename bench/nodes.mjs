// The Node versions that a benchmark runs on.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { ExpectedError } from './expected-error.mjs';

/**
 * The programs of Node: the one that runs this process, and further ones.
 * @param {string[]} further each is the path of a program, or a version for which npm fetches the package `node`
 * @returns {string[]} paths
 */
export function nodePrograms(further) {
  return [process.execPath, ...further.map((one) => (one.includes('/') ? existing(one) : fetched(one)))];
}

function existing(path) {
  if (existsSync(path)) return path;
  throw new ExpectedError(`${path} does not exist: name a program of Node, or a version such as 24.`);
}

function fetched(version) {
  const args = ['exec', '--yes', `--package=node@${version}`, '--', 'node', '-p', 'process.execPath'];
  try {
    return execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  } catch ({ stderr }) {
    throw new ExpectedError(
      `npm cannot fetch Node ${version}. Name the path of its program instead.\n${stderr.trim()}`,
    );
  }
}
