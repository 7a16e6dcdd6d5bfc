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

  /**
   * @param dockerfile its text
   * @param context a folder; default: the project without the files in `.dockerignore`
   */
  static async build(dockerfile: string, context?: string): Promise<Image> {
    const image = new Image();
    if (context) cpSync(context, image.context, { recursive: true });
    else image.takeProject();
    for (const instruction of DockerfileParser.parse(dockerfile).getInstructions()) await image.carryOut(instruction);
    return image;
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
        return this.begin(args[2] ?? 'last');
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
        return this.runStep(text);
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

  private begin(name: string): void {
    this.stage = { layer: join(this.folder, name), workdir: '/' };
    this.stages.set(name, this.stage);
    mkdirSync(this.stage.layer);
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

  /** Carries out a RUN step like Docker: as root, in a shell, with the written files in the layer of the stage. */
  private async runStep(command: string): Promise<void> {
    const { layer, workdir } = this.stage;
    const [work, root] = [join(this.folder, 'work'), join(this.folder, 'root')];
    for (const folder of [work, root]) mkdirSync(folder, { recursive: true });
    const script = `mount -t overlay overlay -o "lowerdir=/,upperdir=$1,workdir=$2" "$3"
      mount -t proc proc "$3/proc"; mount --rbind /dev "$3/dev"
      exec chroot "$3" sh -c 'cd "$1" && eval "$2"' sh "$4" "$5"`;
    const sandbox = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec', script, 'sh'];
    // Variables that npm and Jest set for their child processes do not belong to a build.
    const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|jest_|node_env)/i.test(name));
    const env = { ...Object.fromEntries(inherited), ...this.env };
    await promisify(execFile)('unshare', [...sandbox, layer, work, root, workdir, command], { env, maxBuffer: 1e8 });
    rmSync(work, { recursive: true });
  }
}
