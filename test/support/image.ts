import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { eventually } from './eventually';
import { readImage } from './compose';

const ROOT = resolve(__dirname, '../..');
/** The user that programs run as; it owns nothing in the image. Only root can start a process as another user. */
const NOBODY = 65_534;
/** Ten of them start at once. */
const READY_WITHIN_MS = 60_000;
const isRoot = process.getuid?.() === 0;

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/**
 * A folder with the contents that the `Dockerfile` gives the image: the packages without development dependencies, the
 * build and `package.json`. It is outside any other `node_modules`, and belongs to another user than the programs run
 * as.
 */
export class Image {
  private readonly description = readImage();

  private constructor(
    readonly folder: string,
    /** Where the programs store their data. */
    readonly volumes: string,
  ) {}

  static make(): Image {
    const top = mkdtempSync(join(tmpdir(), 'counterfoil-image-'));
    chmodSync(top, 0o755);
    const image = new Image(join(top, 'app'), join(top, 'volumes'));
    mkdirSync(image.folder);
    mkdirSync(image.volumes);
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
    // An optional package may be for another platform.
    const installed = Object.keys(packages).filter((path) => path !== '' && existsSync(join(ROOT, path)));
    const needed = installed.filter((path) => packages[path]?.dev !== true && path.lastIndexOf('node_modules/') === 0);
    execFileSync('cp', ['-a', '--parents', ...needed, image.folder], { cwd: ROOT });
    // Nested packages were copied with their parents; the development dependencies among them are removed.
    for (const path of installed.filter((name) => packages[name]?.dev === true)) {
      rmSync(join(image.folder, path), { recursive: true, force: true });
    }
    cpSync(join(ROOT, 'dist'), join(image.folder, 'dist'), { recursive: true, dereference: true });
    cpSync(join(ROOT, 'package.json'), join(image.folder, 'package.json'));
    // The image has its own Node.
    cpSync(process.execPath, join(top, 'node'));
    chmodSync(image.folder, 0o555);
    return image;
  }

  /** A folder that the programs may write to, like an empty volume initialised from the image. */
  volume(name: string): string {
    const path = join(this.volumes, name);
    if (!existsSync(path)) {
      mkdirSync(path, { mode: 0o700 });
      if (isRoot) chownSync(path, NOBODY, NOBODY);
    }
    return path;
  }

  /** Starts a program; by default the image's own command. */
  run(given: Readonly<Record<string, string>>, command = this.description.command): ImageProcess {
    const env = { ...this.description.environment, HOST: '127.0.0.1', ...given };
    const child = spawn(join(dirname(this.folder), 'node'), command, { ...this.user, cwd: this.folder, env });
    return new ImageProcess(command.at(-1) ?? '', child, env, () => this.isAlive(env));
  }

  /** Runs a program to its end. */
  async output(command: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
    const { promise, resolve: done, reject } = Promise.withResolvers<string>();
    const options = { ...this.user, cwd: this.folder, env: { ...this.description.environment, ...env } };
    execFile(join(dirname(this.folder), 'node'), command, options, (error, stdout, stderr) =>
      error === null ? done(stdout) : reject(new Error(`${error.message}\n${stdout}\n${stderr}`)),
    );
    return promise;
  }

  remove(): void {
    const top = dirname(this.folder);
    chmodSync(this.folder, 0o755);
    rmSync(top, { recursive: true, force: true });
  }

  private isAlive(env: Readonly<Record<string, string>>): Promise<boolean> {
    const [, ...check] = this.description.healthCheck;
    return this.output(check, env).then(
      () => true,
      () => false,
    );
  }

  private get user(): { readonly uid?: number; readonly gid?: number } {
    return isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  }
}

/** A program that runs from an image. */
export class ImageProcess {
  private output = '';

  constructor(
    readonly program: string,
    private readonly child: ChildProcess,
    private readonly env: Readonly<Record<string, string | undefined>>,
    /** The result of the image's health check. */
    readonly isAlive: () => Promise<boolean>,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.env['PORT']}`;
  }

  get errors(): readonly string[] {
    return this.output.split('\n').filter((line) => /"level":(50|60|"error"|"fatal")/.test(line));
  }

  async untilReady(): Promise<void> {
    await eventually(
      `${this.program} to be ready`,
      async () => {
        if (this.child.exitCode !== null) throw new Error(`${this.program} ended at its start:\n${this.output}`);
        return (await fetch(`${this.url}/health/ready`).catch(() => null))?.ok;
      },
      READY_WITHIN_MS,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.output}`);
    });
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill(signal);
      await exited;
    }
    return this.child.exitCode;
  }
}
