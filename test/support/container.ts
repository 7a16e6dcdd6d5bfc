import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { until } from './until.js';

interface ContainerOptions {
  /** The folder with the files of the image. Only one container may use it at a time. */
  layer: string;
  workdir: string;
  /** The numeric ids of user and group, such as `1000:1000`. */
  user: string;
  env: Record<string, string>;
  command: readonly string[];
  /** A folder of the host that is mounted at /mnt. */
  volume?: string;
}

/** A command that runs as in a container: as process 1, with a read-only root file system and an unprivileged user. */
export class Container {
  private readonly printed: string[] = [];
  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => this.printed.push(text));
  }

  static start({ layer, workdir, user, env, command, volume }: ContainerOptions): Container {
    const [work, root] = [`${layer}.work`, `${layer}.root`];
    for (const folder of [work, root]) mkdirSync(folder, { recursive: true });
    // The layer is mounted read-only, but must be the upper directory, because it covers the lower one.
    const script = `mount -t overlay overlay -o "ro,lowerdir=/,upperdir=$1,workdir=$2" "$3"
      mount -t proc proc "$3/proc"; mount --rbind /dev "$3/dev"
      if [ "$4" ]; then mount --bind "$4" "$3/mnt"; fi
      root=$3; user=$5; workdir=$6; shift 6
      exec chroot --userspec="$user" "$root" /usr/bin/env -i -C "$workdir" "$@"`;
    const sandbox = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec', script, 'sh'];
    const variables = Object.entries({ PATH: process.env.PATH, ...env }).map(([name, value]) => `${name}=${value}`);
    const args = [layer, work, root, volume ?? '', user, workdir, ...variables, ...command];
    return new Container(spawn('unshare', [...sandbox, ...args]));
  }

  get output(): string {
    return this.printed.join('');
  }

  /**
   * Waits until the output matches.
   * @throws if the container ends first, or the output does not match within 30 s
   */
  async printing(pattern: RegExp): Promise<RegExpExecArray> {
    const find = () => pattern.exec(this.output);
    await until(
      () => `a match of ${pattern} in:\n${this.output}`,
      () => find() ?? this.ended,
    );
    const match = find();
    if (!match) throw new Error(`The container ended. Nothing matched ${pattern} in:\n${this.output}`);
    return match;
  }

  /**
   * The id of the command's process on the host.
   * @throws if the process has not started or has ended
   */
  get pid(): number {
    const { pid } = this.child;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    // A signal to process 0 would go to the test itself.
    if (!children) throw new Error('The command has not started yet, or has ended');
    return Number(children);
  }

  /**
   * Returns the exit code after the container has ended. If a signal ended it, the code is 128 plus the number of the
   * signal, as Docker reports it.
   */
  async exit(): Promise<number | null> {
    if (!this.ended) await once(this.child, 'close');
    return this.child.exitCode;
  }

  /**
   * Sends the command a signal, as an orchestrator does.
   * @returns the exit code
   */
  stop(signal: NodeJS.Signals): Promise<number | null> {
    process.kill(this.pid, signal);
    return this.exit();
  }

  /** Kills the container. The command survives `unshare`, because it has changed its user. */
  async kill(): Promise<void> {
    if (!this.ended) {
      try {
        process.kill(this.pid, 'SIGKILL');
      } catch {
        this.child.kill('SIGKILL');
      }
    }
    await this.exit();
  }

  private get ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}
