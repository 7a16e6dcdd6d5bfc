import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(__dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');

/** The databases that lines of the page name in a comment at their end. Lines without one are for all of them. */
export type Named = 'MySQL' | 'MariaDB' | 'SQLite';
const NAMES = /(?:#|--) (MySQL|MariaDB|SQLite)$/;

/**
 * Returns the code of a section of docs/operations.md, as an operator of this database would copy it.
 * @param section its heading
 * @param language of the blocks: sh or sql
 * @param step the number of the step with the blocks. Without it: all blocks
 * @throws if there is none
 */
export function codeOf(section: string, language: 'sh' | 'sql', database: Named, step?: number): string {
  const [, text] = new RegExp(`^#+ ${section}\n([^]*?)^##`, 'm').exec(PAGE) ?? [];
  const part =
    step === undefined ? text : new RegExp(`^${step}\\. [^]*?(?=^\\d\\. |$(?![^]))`, 'm').exec(text ?? '')?.[0];
  const blocks = [...(part ?? '').matchAll(new RegExp(`^( *)\`\`\`${language}\n([^]*?)^\\1\`\`\``, 'gm'))];
  const lines = blocks.flatMap(([, , block]) => block!.split('\n')).map((line) => line.trim());
  const own = lines.filter((line) => line && (NAMES.exec(line)?.[1] ?? database) === database);
  if (!own.length)
    throw new Error(`docs/operations.md has no ${language} for ${database} in "${section}", step ${step}`);
  return own.join('\n');
}

/** A folder in which an operator runs the commands of the page. */
export class OperatorFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'customer-data-operator-'));

  constructor(private readonly databaseUrl: string) {
    symlinkSync(join(ROOT, 'dist'), join(this.path, 'dist'));
  }

  /** Writes the file in which the clients of MySQL and MariaDB find the account. */
  useAccount(url: string): void {
    const { hostname, port, username, password } = new URL(url);
    const lines = ['[client]', `host=${hostname}`, `port=${port}`, `user=${username}`, `password=${password}`];
    writeFileSync(join(this.path, '.my.cnf'), lines.join('\n'), { mode: 0o600 });
  }

  /**
   * Runs commands in one shell, with the folder as the home.
   * @returns what they print
   * @throws if one of them fails, with its error output
   */
  async run(commands: string, databaseUrl = this.databaseUrl): Promise<string> {
    const env = { PATH: process.env.PATH, HOME: this.path, DATABASE_URL: databaseUrl };
    const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', commands], { env, cwd: this.path });
    return stdout;
  }
}
