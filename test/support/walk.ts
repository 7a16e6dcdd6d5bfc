import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** A block of code that a document wants to have in a file, and where. */
interface Step {
  file: string;
  place?: 'before' | 'behind' | 'replace';
  /** What the line begins with, grave accents left out, that the code comes before, behind or instead of; none: the code is the file. */
  line?: string;
  code: string;
}

/** No grave accents behind the language: Markdown takes that for no block, and shows it as a paragraph. */
const FENCE = /^( *)```(?:ts|md) file="([^"`]+)"(?: (before|behind|replace)="([^"`]+)")?\n([^]*?)^\1```$/gm;

/** What a chapter of a document tells its readers to write. */
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
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'jest.config.mjs',
  '.npmrc',
  '.swcrc',
];

/** A copy of the sources that can be changed and built. */
export class TreeCopy {
  /** Hidden, as releases lie in on some machines: Express sends no file from there unless told to. */
  readonly folder = mkdtempSync(join(tmpdir(), '.customer-data-copy-'));
  readonly main = join(this.folder, 'dist/main.js');
  readonly cli = join(this.folder, 'dist/cli.js');

  constructor() {
    for (const name of COPIED) cpSync(join(ROOT, name), join(this.folder, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** Does what the steps say. @throws where a place is not there, or there twice */
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

  /** @throws what the compiler says */
  build(): void {
    execFileSync('npm', ['run', '-s', 'build'], { cwd: this.folder, encoding: 'utf8' });
  }

  /** Runs a program of the packages. @returns its exit code and all that it prints */
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
