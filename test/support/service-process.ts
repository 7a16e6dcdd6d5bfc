import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { resolve } from 'node:path';
import { START_OPTIONS } from './start-options.js';
import { until } from './until.js';

const MAIN = resolve(__dirname, '../../dist/main.js');

/** The built service in a separate process, as `npm start` runs it. */
export class ServiceProcess {
  private constructor(
    private readonly child: ChildProcess,
    /** Everything that was printed so far, on standard output and standard error. */
    private readonly printed: string[],
  ) {}

  /**
   * Starts the service with exactly these settings in the given folder.
   * @param main the program, if it is another build
   * @param options options of Node. Default: those of `npm start`
   */
  static start(
    environment: Record<string, string>,
    folder: string,
    { main = MAIN, options = START_OPTIONS }: { main?: string; options?: readonly string[] } = {},
  ): ServiceProcess {
    const child = spawn(process.execPath, [...options, main], {
      cwd: folder,
      env: { PATH: process.env.PATH, PORT: '0', MANAGEMENT_PORT: '0', ...environment },
    });
    const printed: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => printed.push(text));
    return new ServiceProcess(child, printed);
  }

  /** Lowers the priority of the process. */
  yield(): void {
    setPriority(this.child.pid!, 15);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  get output(): string {
    return this.printed.join('');
  }

  /** Stops reading its standard output, so that the pipe fills up. */
  stopReading(): void {
    this.child.stdout!.removeAllListeners('data').pause();
  }

  /** Closes the reading end of its standard output. */
  closeOutput(): void {
    this.child.stdout!.destroy();
  }

  /**
   * The records of a JSON log.
   * @throws if anything else was printed
   */
  get log(): Record<string, unknown>[] {
    const lines = this.output.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /**
   * Waits until the output matches.
   * @throws if it does not match within 30 s
   */
  async printing(pattern: RegExp): Promise<RegExpExecArray> {
    return until(
      () => `a match of ${pattern} in:\n${this.output}`,
      () => pattern.exec(this.output),
    );
  }

  /** The URLs of the public and the management port, once the service listens. */
  async ports(): Promise<{ url: string; managementUrl: string }> {
    const [, port, managementPort] = await this.printing(/Listening on port (\d+) \(public\) and (\d+)/);
    return { url: `http://127.0.0.1:${port}`, managementUrl: `http://127.0.0.1:${managementPort}` };
  }

  /**
   * The URLs of both ports, once the service is ready for requests.
   * @throws if it is not ready within 30 s
   */
  async ready(): Promise<{ url: string; managementUrl: string }> {
    const ports = await this.ports();
    await until(
      () => `the service is ready. It printed:\n${this.output}`,
      async () => (await fetch(`${ports.managementUrl}/readyz`)).status === 200,
    );
    return ports;
  }

  /** Returns the exit code after the process has ended. */
  async exit(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  /**
   * Sends a signal.
   * @returns the exit code
   */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.child.exitCode === null) this.child.kill(signal);
    return this.exit();
  }
}
