import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { CommandResult } from './test-service.js';

const CLI = join(__dirname, '../../dist/cli.js');

/** A command of the built CLI in a separate process, which a test may suspend, kill and observe. */
export class RunningCommand {
  private readonly result: CommandResult = { code: 0, stdout: '', stderr: '' };
  /** The result. The exit code is -1 if a signal ended the command. */
  readonly ended: Promise<CommandResult>;
  private listener: () => void = () => undefined;

  private constructor(private readonly child: ChildProcess) {
    child.stdout!.on('data', (text) => this.collect('stdout', text));
    child.stderr!.on('data', (text) => this.collect('stderr', text));
    this.ended = new Promise((resolve, reject) => {
      child.on('error', reject).on('close', (code) => resolve({ ...this.result, code: code ?? -1 }));
    });
  }

  /**
   * @param wrapper a program with arguments that runs the appended command, for example with a limit
   * @param environment variables in addition to PATH and DATABASE_URL
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

  /** Writes the whole standard input. */
  feed(text: string): void {
    // A command that reads nothing may end before its input is written.
    this.child.stdin!.on('error', () => undefined).end(text);
  }

  /**
   * Writes the beginning of the standard input. Resolves when the command has read all of it except for the pipe's
   * buffer.
   */
  async feedFirst(text: string): Promise<void> {
    await new Promise((resolve) => this.child.stdin!.on('error', () => undefined).write(text, resolve));
  }

  /** Everything that was printed so far. */
  get printed(): string {
    return this.result.stdout + this.result.stderr;
  }

  /** The id of the process. With a wrapper, of its first program. */
  get pid(): number {
    return this.child.pid!;
  }

  /** The signal that ended the command, or null. */
  get endedBy(): NodeJS.Signals | null {
    return this.child.signalCode;
  }

  /**
   * Resolves when the output matches.
   * @throws if the command ends first
   */
  async printing(pattern: RegExp): Promise<void> {
    const matched = new Promise<void>((resolve) => {
      this.listener = () => pattern.test(this.printed) && resolve();
      this.listener();
    });
    const early = this.ended.then(() => {
      if (!pattern.test(this.printed)) throw new Error(`Nothing matched ${pattern} in:\n${this.printed}`);
    });
    await Promise.race([matched, early]);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  private collect(stream: 'stdout' | 'stderr', text: Buffer): void {
    this.result[stream] += text;
    this.listener();
  }
}
