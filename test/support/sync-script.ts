import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Fault, FaultyProxy } from './faulty-proxy.js';
import { findProgram } from './programs.mjs';
import { A } from './small-catalogue.js';

/** The installed programs that clients need. jest.config.mjs sets them. */
declare const PROGRAMS: string[];

const execute = promisify(execFile);

export const EXAMPLES = resolve(import.meta.dirname, '../../docs/integration/examples');

/** A sync script, as its page says to run it. */
interface Language {
  script: string;
  command: (folder: string) => string[];
  /** The programs that it needs. */
  needs: string[];
  /** A command that starts faster, because the script has been compiled in this folder. */
  compiled?: { compile: (folder: string) => string[]; command: (folder: string) => string[] };
}

const interpreted = (program: string, script: string, ...needs: string[]): Language => ({
  script,
  command: (folder) => [program, join(folder, script)],
  needs,
});

const MCS = ['mcs', '-langversion:latest', '-r:System.Net.Http.dll'];
const csharp = {
  compile: (folder: string) => [...MCS, `-out:${join(folder, 'Sync.exe')}`, join(folder, 'Sync.cs')],
  command: (folder: string) => ['mono', join(folder, 'Sync.exe')],
};

const LANGUAGES: readonly Language[] = [
  interpreted('sh', 'sync.sh', 'curl'),
  interpreted(process.execPath, 'sync.mjs'),
  interpreted('python3', 'sync.py', 'python3'),
  interpreted('php', 'sync.php', 'php-curl'),
  interpreted('ruby', 'sync.rb', 'ruby'),
  interpreted('perl', 'sync.pl', 'perl-https'),
  {
    ...interpreted('java', 'Sync.java', 'javac'),
    compiled: {
      compile: (folder) => ['javac', '-d', folder, join(folder, 'Sync.java')],
      command: (folder) => ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', folder, 'Sync'],
    },
  },
  {
    script: 'sync.go',
    command: (folder) => ['go', 'run', join(folder, 'sync.go')],
    needs: ['go'],
    compiled: {
      compile: (folder) => ['go', 'build', '-o', join(folder, 'sync-go'), join(folder, 'sync.go')],
      command: (folder) => [join(folder, 'sync-go')],
    },
  },
  { script: 'Sync.cs', command: csharp.command, needs: ['mcs', 'mono', 'mono-http'], compiled: csharp },
  interpreted('pwsh', 'sync.ps1', 'pwsh'),
];

/** PowerShell is in no Debian package, so `PROGRAMS` never contains it. */
const hasProgram = (name: string) => (name === 'pwsh' ? findProgram(name) !== undefined : PROGRAMS.includes(name));

const INSTALLED = LANGUAGES.filter(({ needs }) => needs.every(hasProgram));

/** The scripts that the tests know. */
export const SCRIPTS = LANGUAGES.map(({ script }) => script);

/** The scripts whose programs are missing on this machine. */
export const NOT_RUN = LANGUAGES.filter((language) => !INSTALLED.includes(language)).map(({ script }) => script);

/** The exit code and the output of a script. */
export interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** How to run a script. By default: for customer A, with the stored state of the integration. */
export interface RunOptions {
  customer?: string;
  state?: string;
  faults?: readonly Fault[];
  /** Arguments of the script. */
  args?: readonly string[];
  /** A command that starts the script. */
  under?: readonly string[];
  environment?: Record<string, string>;
  /** The service; default: the proxy. */
  url?: string;
}

/** A customer's integration in one of the languages: the state of its script, and its own proxy. */
export class SyncScript {
  readonly state: string;

  constructor(
    readonly script: string,
    private readonly command: readonly string[],
    readonly proxy: FaultyProxy,
    private readonly folder: string,
  ) {
    this.state = mkdtempSync(join(folder, 'state-'));
  }

  async run(secret: string, options: RunOptions = {}): Promise<Result> {
    this.proxy.faults = [...(options.faults ?? [])];
    this.proxy.responses.length = 0;
    const [program, ...args] = [...(options.under ?? []), ...this.command, ...(options.args ?? [])];
    const env = this.environment(secret, options);
    const result = await execute(program!, args, { env }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }) as Result,
    );
    return { ...result, stdout: result.stdout.replaceAll('\r', '') };
  }

  /** @returns the output of the script, or its failure */
  async sync(secret: string, options?: RunOptions): Promise<string> {
    const { code, stdout } = await this.run(secret, options);
    return code === 0 ? stdout : `failed with ${code}, and printed ${stdout || 'nothing'}`;
  }

  newState(): string {
    return mkdtempSync(join(this.folder, 'state-'));
  }

  stores(name: string): boolean {
    return existsSync(join(this.state, name));
  }

  storedFile(name: string): string {
    return readFileSync(join(this.state, name), 'utf8');
  }

  /** Kills the script once its state folder has changed this many times. @returns whether it was still running */
  async killAfter(events: number, secret: string): Promise<boolean> {
    const [program, ...args] = this.command;
    const child = spawn(program!, args, { env: this.environment(secret, {}), detached: true });
    let seen = 0;
    const watcher = watch(this.state, () => {
      if (++seen === events && child.exitCode === null) killGroup(child.pid!);
    });
    const [, signal] = await once(child, 'close');
    watcher.close();
    return signal === 'SIGKILL';
  }

  private environment(secret: string, { customer = A, state, url, environment }: RunOptions) {
    return {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      BASE_URL: url ?? this.proxy.url,
      CLIENT_ID: customer,
      CLIENT_SECRET: secret,
      STATE: state ?? this.state,
      ...environment,
    };
  }
}

/** Kills all processes of the group, because a shell starts further programs. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has just ended.
  }
}

/** The number of seconds before the first retry, in every script. */
const PAUSE = /\b(pause *= *)2\b/gi;

function setPause(path: string, pause: number): void {
  const text = readFileSync(path, 'utf8');
  if (text.match(PAUSE)?.length !== 1) throw new Error(`${path} does not set its pause to 2 seconds exactly once.`);
  writeFileSync(path, text.replace(PAUSE, `$1${pause}`));
}

/** All sync scripts whose programs are installed, in front of one service. */
export class SyncScripts {
  private constructor(
    readonly all: readonly SyncScript[],
    private readonly folder: string,
  ) {}

  /** Scripts whose first pause takes a hundredth of the time. */
  static fast(serviceUrl: string): Promise<SyncScripts> {
    return this.prepare(serviceUrl, (folder) => {
      for (const script of SCRIPTS) setPause(join(folder, script), 0.02);
    });
  }

  /** Unchanged scripts, with the commands of their pages. */
  static asDocumented(serviceUrl: string): Promise<SyncScripts> {
    return this.prepare(serviceUrl);
  }

  private static async prepare(serviceUrl: string, change?: (folder: string) => void): Promise<SyncScripts> {
    const folder = mkdtempSync(join(tmpdir(), 'customer-data-sync-'));
    cpSync(EXAMPLES, folder, { recursive: true });
    change?.(folder);
    const start = async ({ script, command, compiled }: Language) => {
      const isCompiled = compiled && (change || compiled.command === command);
      if (isCompiled) await runCommand(compiled.compile(folder));
      const used = isCompiled ? compiled.command : command;
      return new SyncScript(script, used(folder), await FaultyProxy.before(serviceUrl), folder);
    };
    return new SyncScripts(await Promise.all(INSTALLED.map(start)), folder);
  }

  /** Runs all scripts at once. @returns the result of each, by script */
  async each<T>(run: (script: SyncScript) => Promise<T>): Promise<Record<string, T>> {
    const results = await Promise.all(this.all.map(async (one) => [one.script, await run(one)] as const));
    return Object.fromEntries(results);
  }

  /** The result of `each` if every script has this value. */
  everyOne<T>(value: T): Record<string, T> {
    return Object.fromEntries(this.all.map(({ script }) => [script, value]));
  }

  close(): void {
    for (const { proxy } of this.all) proxy.close();
    rmSync(this.folder, { recursive: true });
  }
}

async function runCommand([program, ...args]: readonly string[]): Promise<void> {
  await execute(program!, args);
}
