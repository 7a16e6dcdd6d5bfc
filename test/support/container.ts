import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { until } from './until.js';

interface ContainerOptions {
  /** The folder with the files of the image; only one container at a time may use it. */
  layer: string;
  workdir: string;
  /** Numbers of user and group, `1000:1000`. */
  user: string;
  env: Record<string, string>;
  command: readonly string[];
  /** A folder of the host, at /mnt in the container. */
  volume?: string;
}

/** A command that runs as in a container: process 1, a read-only root file system, a user without rights. */
export class Container {
  private readonly printed: string[] = [];
  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => this.printed.push(text));
  }

  static start({ layer, workdir, user, env, command, volume }: ContainerOptions): Container {
    const [work, root] = [`${layer}.work`, `${layer}.root`];
    for (const folder of [work, root]) mkdirSync(folder, { recursive: true });
    // Nothing is written to a layer that is mounted read-only, but it has to be the upper one: the other holds it.
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

  /** Waits until the output matches. @throws if it ends before, or never matches */
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

  /** The number of the command's process on the host. @throws if there is no such process (yet) */
  get pid(): number {
    const { pid } = this.child;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    // A signal to process 0 would go to the test itself.
    if (!children) throw new Error('The command has not started yet, or has ended');
    return Number(children);
  }

  /** The exit code, once it has ended; a signal that ended it counts as Docker counts it, from 128 on. */
  async exit(): Promise<number | null> {
    if (!this.ended) await once(this.child, 'close');
    return this.child.exitCode;
  }

  /** Sends the command a signal, as an orchestrator does. @returns the exit code */
  stop(signal: NodeJS.Signals): Promise<number | null> {
    process.kill(this.pid, signal);
    return this.exit();
  }

  /** Ends it, whatever it does. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exit();
  }

  private get ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}
