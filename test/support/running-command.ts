import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { CommandResult } from './test-service.js';

const CLI = join(__dirname, '../../dist/cli.js');

/** A command of the built CLI in a process of its own, which a test may freeze, kill and listen to. */
export class RunningCommand {
  private readonly result: CommandResult = { code: 0, stdout: '', stderr: '' };
  /** How it ended; the exit code is -1 where a signal ended it. */
  readonly ended: Promise<CommandResult>;
  private listener: () => void = () => undefined;

  private constructor(private readonly child: ChildProcess) {
    child.stdout!.on('data', (text) => this.hear('stdout', text));
    child.stderr!.on('data', (text) => this.hear('stderr', text));
    this.ended = new Promise((resolve, reject) => {
      child.on('error', reject).on('close', (code) => resolve({ ...this.result, code: code ?? -1 }));
    });
  }

  /**
   * @param wrapper a program and its arguments that runs what is appended to them, say under a limit
   * @param environment more than it needs to find its database
   */
  static start(
    databaseUrl: string,
    args: readonly string[],
    { wrapper = [], environment = {} }: { wrapper?: readonly string[]; environment?: Record<string, string> } = {},
  ): RunningCommand {
    const [program, ...rest] = [...wrapper, process.execPath, CLI, ...args] as [string, ...string[]];
    const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl, ...environment };
    return new RunningCommand(spawn(program, rest, { env }));
  }

  /** Gives it its standard input, whole. */
  feed(text: string): void {
    // A command that reads nothing may be gone before it is written.
    this.child.stdin!.on('error', () => undefined).end(text);
  }

  /** All that it printed so far. */
  get printed(): string {
    return this.result.stdout + this.result.stderr;
  }

  /** Which signal ended it, if one did. */
  get endedBy(): NodeJS.Signals | null {
    return this.child.signalCode;
  }

  /** Resolves as soon as the output matches. @throws if the command ends before */
  async printing(pattern: RegExp): Promise<void> {
    const heard = new Promise<void>((resolve) => {
      this.listener = () => pattern.test(this.printed) && resolve();
      this.listener();
    });
    const early = this.ended.then(() => {
      if (!pattern.test(this.printed)) throw new Error(`Nothing matched ${pattern} in:\n${this.printed}`);
    });
    await Promise.race([heard, early]);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  private hear(stream: 'stdout' | 'stderr', text: Buffer): void {
    this.result[stream] += text;
    this.listener();
  }
}
