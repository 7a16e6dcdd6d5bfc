import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** A block of code that a document adds to a file, and its position. */
export interface Step {
  file: string;
  place?: 'before' | 'behind' | 'replace';
  /**
   * The beginning of the line, without backticks, that the code precedes, follows or replaces. Undefined: the code is
   * the whole file.
   */
  line?: string;
  code: string;
}

/** The info string must not contain backticks: Markdown would render the block as a paragraph. */
const FENCE = /^( *)```(?:ts|md) file="([^"`]+)"(?: (before|behind|replace)="([^"`]+)")?\n([^]*?)^\1```$/gm;

/**
 * Returns the steps of a chapter.
 * @throws if the chapter is missing or has no code
 */
export function stepsOf(document: string, chapter: string): Step[] {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const found = text.split(/^## /m).find((part) => part.startsWith(`${chapter}\n`));
  if (!found) throw new Error(`${document} has no chapter "${chapter}"`);
  const steps = [...found.matchAll(FENCE)];
  if (!steps.length) throw new Error(`${document} has no code in "${chapter}"`);
  return steps.map(([, indent, file, place, line, code]) => ({
    file: file!,
    place: place as Step['place'],
    line,
    code: code!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

const COPIED = [
  'src',
  'test',
  'conformance',
  'demo',
  'docs',
  'mappings',
  'ormconfig.ts',
  'package.json',
  'build.mjs',
  'tsconfig.json',
  'jest.config.mjs',
  '.npmrc',
  '.swcrc',
];

/** A copy of the sources that a test can change and build. */
export class TreeCopy {
  /** A hidden folder, as some machines use for releases. By default Express sends no file from a hidden folder. */
  readonly folder = mkdtempSync(join(tmpdir(), '.customer-data-copy-'));
  readonly main = join(this.folder, 'dist/main.js');
  readonly cli = join(this.folder, 'dist/cli.js');

  constructor() {
    for (const name of COPIED) cpSync(join(ROOT, name), join(this.folder, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /**
   * Carries out the steps.
   * @throws if a line does not occur exactly once
   */
  follow(steps: readonly Step[]): void {
    for (const { file, place, line, code } of steps) {
      const path = join(this.folder, file);
      if (!place) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, code, { flag: 'wx' });
        continue;
      }
      const lines = readFileSync(path, 'utf8').split('\n');
      const places = lines.flatMap((text, index) => (text.replaceAll('`', '').startsWith(line!) ? [index] : []));
      if (places.length !== 1) throw new Error(`${file} has ${places.length} lines that begin with ${line}`);
      const at = places[0]! + Number(place === 'behind');
      lines.splice(at, Number(place === 'replace'), ...code.slice(0, -1).split('\n'));
      writeFileSync(path, lines.join('\n'));
    }
  }

  /** @throws with the output of the build, which does not check types */
  build(): void {
    execFileSync('npm', ['run', '-s', 'build'], { cwd: this.folder, encoding: 'utf8' });
  }

  /**
   * Runs a program of the installed packages.
   * @returns its exit code and its output
   */
  run(program: string, args: readonly string[], environment: Record<string, string> = {}): [number, string] {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment };
    const { status, stdout, stderr } = spawnSync(join('node_modules/.bin', program), args, {
      cwd: this.folder,
      encoding: 'utf8',
      env,
    });
    return [status ?? -1, stdout + stderr];
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
