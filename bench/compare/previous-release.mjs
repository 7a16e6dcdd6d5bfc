// Chooses the commit that a comparison without an argument starts from.
import { ExpectedError } from '../expected-error.mjs';
import { commitOf, git, isShallow } from './git.mjs';

/**
 * The previous release: the newest tag `vNUMBER` before this commit. Without such a tag, it is the last commit of an
 * earlier day.
 * @returns the hash of the commit
 */
export function previousRelease() {
  commitOf('HEAD');
  const commit = newestTag() ?? lastOfEarlierDay();
  if (commit) return commit;
  const fix = isShallow() ? 'run git fetch --unshallow --tags, or name a commit' : 'name a commit';
  throw new ExpectedError(`This clone has no tag vNUMBER before this commit, and no commit of an earlier day: ${fix}.`);
}

function newestTag() {
  try {
    return commitOf(git('describe', '--tags', '--abbrev=0', '--match=v[0-9]*', 'HEAD^'));
  } catch {
    return undefined;
  }
}

/** A day ends at midnight UTC. */
function lastOfEarlierDay() {
  const day = new Date(git('log', '-1', '--format=%cI', 'HEAD')).toISOString().slice(0, 10);
  return git('rev-list', '-1', '--first-parent', `--before=${day}T00:00:00Z`, 'HEAD') || undefined;
}
