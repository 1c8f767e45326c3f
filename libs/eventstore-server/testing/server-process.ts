import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { scratchDirectory } from './scratch';

const root = join(__dirname, '..', '..', '..');

/** `apps/eventstore` in a separate process, on a data directory that outlives it. */
export class ServerProcess {
  private constructor(
    readonly directory: string,
    private readonly child: ChildProcessByStdio<null, Readable, null>,
    readonly url: string,
    readonly healthUrl: string,
  ) {}

  /** Resolves once it listens. */
  static async start(
    directory = scratchDirectory('eventstore-process-'),
    environment: Readonly<Record<string, string>> = {},
  ): Promise<ServerProcess> {
    const cache = process.env['NODE_COMPILE_CACHE'];
    const child = spawn(process.execPath, [join(root, 'dist/apps/eventstore/main.js')], {
      env: {
        PATH: process.env['PATH'],
        ...(cache && { NODE_COMPILE_CACHE: cache }),
        DATA_DIR: directory,
        EVENTSTORE_PORT: '0',
        PORT: '0',
        ...environment,
      },
      // When the test runner is killed, the channel closes and the process ends too.
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    }) as ChildProcessByStdio<null, Readable, null>;
    child.channel?.unref();
    for await (const line of createInterface({ input: child.stdout })) {
      const entry = JSON.parse(line) as { msg: string; url: string; healthUrl: string };
      if (entry.msg !== 'listening') continue;
      child.stdout.resume();
      return new ServerProcess(directory, child, entry.url, entry.healthUrl);
    }
    throw new Error(`The server ended with ${child.exitCode ?? child.signalCode} before it listened`);
  }

  /** Returns the exit code; null if it was killed. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const exited = once(this.child, 'exit') as Promise<[number | null]>;
    this.child.kill(signal);
    const [code] = await exited;
    return code;
  }

  removeData(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
