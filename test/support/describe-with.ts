import { spawnSync } from 'node:child_process';
import { missingPrograms } from './programs.mjs';

/**
 * Declares a group of tests that needs a program. Without the program it is skipped with a title that starts with NOT
 * RUN.
 */
export function describeWith(name: string, title: string, tests: () => void): void {
  const isMissing = missingPrograms().some((program) => program.name === name);
  describeUnless(isMissing && `${name} is missing`, title, tests);
}

/** Whether this process may mount file systems and start a process with its own root or its own process numbers. */
const isRootOfLinux = process.platform === 'linux' && process.getuid?.() === 0;

/**
 * Declares a group of tests that mounts file systems or isolates processes. Otherwise like {@link describeWith}.
 * @throws if servers are required
 */
export function describeAsRoot(title: string, tests: () => void): void {
  const reason = 'it needs Linux and root';
  if (!isRootOfLinux && process.env.REQUIRE_SERVERS === '1') throw new Error(`${title}: ${reason}`);
  describeUnless(!isRootOfLinux && reason, title, tests);
}

/** Runs a command that may mount file systems. No other process sees them. */
export const MOUNTING = ['unshare', '--map-root-user', '--mount'] as const;

/** Declares a group of tests that mounts a file system. Otherwise like {@link describeWith}. */
export function describeMounting(title: string, tests: () => void): void {
  const [unshare, ...options] = MOUNTING;
  const { status } = spawnSync(unshare, [...options, 'mount', '-t', 'tmpfs', 'none', '/mnt']);
  describeUnless(status !== 0 && 'this account may not mount a file system', title, tests);
}

/** Declares a group of tests. If there is a reason to skip it, its title starts with NOT RUN and ends with the reason. */
export function describeUnless(reason: string | false, title: string, tests: () => void): void {
  if (reason) describe.skip(`NOT RUN: ${title}, because ${reason}`, tests);
  else describe(title, tests);
}
