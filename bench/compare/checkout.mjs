// Builds another commit of the project in a folder of its own.
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { killAtExit } from '../at-exit.mjs';
import { ExpectedError } from '../expected-error.mjs';
import { ROOT, writeCommit } from './git.mjs';

const execute = promisify(execFile);

/**
 * Writes the files of a commit to a new folder, installs its packages, and builds it. If it needs the packages of this
 * checkout, it uses them, which works offline.
 */
export async function checkOut(commit, folder) {
  writeCommit(commit, folder);
  if (lockOf(folder) === lockOf(ROOT)) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else await npm(folder, 'ci', '--no-audit', '--no-fund', '--prefer-offline');
  await npm(folder, 'run', '-s', 'build');
}

const lockOf = (folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8');

async function npm(folder, ...args) {
  const start = performance.now();
  const running = execute('npm', args, { cwd: folder, maxBuffer: 2 ** 26 });
  // npm stops its own children if it receives SIGTERM.
  killAtExit(running.child, 'SIGTERM');
  try {
    await running;
  } catch ({ stdout = '', stderr = '', message }) {
    throw new ExpectedError(
      `The base cannot be built. "npm ${args.join(' ')}" failed:\n${lastLines(stdout + stderr || message)}`,
    );
  }
  console.log(
    `Base: npm ${args.find((arg) => /^(ci|build)$/.test(arg))} took ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
}

const lastLines = (text) => text.trim().split('\n').slice(-20).join('\n');
