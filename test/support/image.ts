import { type Copy, DockerfileParser, type Instruction, type JSONInstruction } from 'dockerfile-ast';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Container } from './container.js';

const PROJECT = resolve(__dirname, '../..');

/** A stage of a build. Its files are a layer above this machine's files, which replace the base image. */
interface Stage {
  layer: string;
  workdir: string;
}

/** The file of each secret of a build, by its id. */
type Secrets = Record<string, string>;

/**
 * Builds the image of a Dockerfile without a container engine: carries out its instructions one by one, each RUN in a
 * separate namespace and root. An unknown instruction or form is an error, so that every part of the file is tested.
 * The base image itself is not tested: node and npm are this machine's.
 */
export class Image {
  readonly env: Record<string, string> = {};
  readonly ports: string[] = [];
  user = '0:0';
  command: string[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'customer-data-image-'));
  private readonly context = join(this.folder, 'context');
  private readonly stages = new Map<string, Stage>();
  private stage!: Stage;

  private constructor(private readonly secrets: Secrets) {}

  /**
   * @param dockerfile its text
   * @param context a folder; default: the project without the files in `.dockerignore`
   * @throws with the output of a failed RUN
   */
  static async build(dockerfile: string, context?: string, secrets: Secrets = {}): Promise<Image> {
    const image = new Image(secrets);
    try {
      if (context) cpSync(context, image.context, { recursive: true });
      else image.takeProject();
      for (const instruction of DockerfileParser.parse(dockerfile).getInstructions()) await image.carryOut(instruction);
      return image;
    } catch (error) {
      image.remove();
      throw error;
    }
  }

  /** The folder with the files that the last stage added to the base image. */
  get layer(): string {
    return this.stage.layer;
  }

  /**
   * Starts a read-only container with the image's user and command.
   * @param volume a folder to mount at /mnt
   */
  run(environment: Record<string, string>, command = this.command, volume?: string): Container {
    const { layer, workdir } = this.stage;
    return Container.start({
      layer,
      workdir,
      user: this.user,
      env: { ...this.env, ...environment },
      command,
      volume,
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** `.dockerignore` excludes everything except the listed names. No other form is supported. */
  private takeProject(): void {
    const [all, ...names] = readFileSync(join(PROJECT, '.dockerignore'), 'utf8').trim().split('\n');
    if (all !== '*') throw new Error('.dockerignore: the first line must be *');
    for (const name of names) {
      if (!/^![\w.-]+$/.test(name)) throw new Error(`.dockerignore: not a plain name: ${name}`);
      cpSync(join(PROJECT, name.slice(1)), join(this.context, name.slice(1)), { recursive: true });
    }
  }

  private async carryOut(instruction: Instruction): Promise<void> {
    const args = instruction.getArguments().map((argument) => argument.getValue());
    const text = instruction.getArgumentsContent() ?? '';
    switch (instruction.getKeyword()) {
      case 'FROM':
        return this.begin(args[0]!, args[2] ?? 'last');
      case 'WORKDIR':
        this.stage.workdir = text;
        return void mkdirSync(join(this.stage.layer, text), { recursive: true });
      case 'ENV': {
        const [, name, value] = /^(\w+)=(\S+)$/.exec(text) ?? [];
        if (!name) throw new Error(`ENV: not one NAME=VALUE: ${text}`);
        return void (this.env[name] = value!);
      }
      case 'COPY':
        return this.copy(instruction as Copy, args);
      case 'RUN':
        return this.runStep(text, this.secretsOf(instruction as JSONInstruction));
      case 'USER':
        return void (this.user = text);
      case 'EXPOSE':
        return void this.ports.push(...args);
      case 'ENTRYPOINT':
        if (text !== '[]') throw new Error(`ENTRYPOINT: the test supports only []: ${text}`);
        return;
      case 'CMD':
        this.command = (instruction as JSONInstruction).getJSONStrings().map((part) => JSON.parse(part.getValue()));
        return;
      default:
        throw new Error(`The test does not support the instruction ${instruction.getKeyword()}`);
    }
  }

  private begin(base: string, name: string): void {
    const layer = join(this.folder, name);
    const from = this.stages.get(base);
    if (from) cpSync(from.layer, layer, { recursive: true, verbatimSymlinks: true });
    else mkdirSync(layer);
    this.stage = { layer, workdir: from?.workdir ?? '/' };
    this.stages.set(name, this.stage);
    this.user = '0:0';
    for (const key of Object.keys(this.env)) delete this.env[key];
  }

  private copy(instruction: Copy, args: string[]): void {
    const flags = instruction.getFlags().map((flag) => flag.getName());
    if (flags.some((name) => name !== 'from'))
      throw new Error(`COPY: the test does not support --${flags.join(' --')}`);
    const from = instruction.getFromFlag()?.getValue();
    const root = from ? this.stages.get(from)!.layer : this.context;
    const target = args.pop()!;
    const destination = join(this.stage.layer, this.stage.workdir, target);
    for (const source of args) {
      const into = target.endsWith('/') ? join(destination, basename(source)) : destination;
      cpSync(join(root, source), into, { recursive: true, verbatimSymlinks: true });
    }
  }

  /**
   * Carries out a RUN step like Docker: as root, in a shell, with the written files in the layer of the stage. Secrets
   * are files that only this step sees.
   */
  private async runStep(command: string, secrets: [string, string][]): Promise<void> {
    const { layer, workdir } = this.stage;
    const [work, root] = [join(this.folder, 'work'), join(this.folder, 'root')];
    for (const folder of [work, root]) mkdirSync(folder, { recursive: true });
    const script = `mount -t overlay overlay -o "lowerdir=/,upperdir=$1,workdir=$2" "$3"
      mount -t proc proc "$3/proc"; mount --rbind /dev "$3/dev"
      root=$3 workdir=$4 command=$5; shift 5
      while [ $# -gt 0 ]; do
        mkdir -p "$root$(dirname "$2")"; touch "$root$2"; mount --bind "$1" "$root$2"; shift 2
      done
      exec chroot "$root" sh -c 'cd "$1" && eval "$2"' sh "$workdir" "$command"`;
    const sandbox = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec', script, 'sh'];
    // Variables that npm and Jest set for their child processes do not belong to a build.
    const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|jest_|node_env)/i.test(name));
    const env = { ...Object.fromEntries(inherited), ...this.env };
    const args = [...sandbox, layer, work, root, workdir, command, ...secrets.flat()];
    await promisify(execFile)('unshare', args, { env, maxBuffer: 1e8 });
    for (const [, target] of secrets) rmSync(join(layer, target));
    rmSync(work, { recursive: true });
  }

  /** Returns the given secrets that a RUN instruction mounts: the file and the path in the container. */
  private secretsOf(instruction: JSONInstruction): [string, string][] {
    return instruction.getFlags().flatMap((flag) => {
      const [, id, target] = /^type=secret,id=(\w+)(?:,target=(\S+))?$/.exec(flag.getValue() ?? '') ?? [];
      if (flag.getName() !== 'mount' || !id) throw new Error(`RUN: the test does not support ${flag}`);
      const file = this.secrets[id];
      return file ? [[file, target ?? `/run/secrets/${id}`]] : [];
    });
  }
}
