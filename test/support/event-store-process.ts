import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually';
import { freePort } from './free-port';
import { mainOf, NODE } from './programs';
import { refusedStart } from './refused-start';

/** The built event store in a separate process: the embedded log over the EventStoreDB protocol. */
export class EventStoreProcess {
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly dataDir: string,
    readonly port: number,
  ) {
    const collect = (chunk: Buffer) => {
      this.output += chunk.toString('utf8');
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
  }

  /** Starts it and waits until it is ready. */
  static async start(
    options: {
      readonly dataDir?: string;
      readonly port?: number;
      readonly env?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<EventStoreProcess> {
    const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'counterfoil-eventstore-'));
    const port = options.port ?? (await freePort());
    const healthPort = await freePort();
    const { NODE_OPTIONS: _unused, ...inherited } = process.env;
    const env = {
      ...inherited,
      DATA_DIR: dataDir,
      EVENTSTORE_PORT: String(port),
      PORT: String(healthPort),
      ...options.env,
    };
    // When the test runner is killed, the channel closes and the process ends too.
    const child = spawn(NODE, [mainOf('eventstore')], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    child.channel?.unref();
    const eventStore = new EventStoreProcess(child, dataDir, port);
    try {
      await eventually('the event store to be ready', async () => {
        if (child.exitCode !== null) throw new Error(`The event store ended at its start:\n${eventStore.output}`);
        const ready = await fetch(`http://127.0.0.1:${healthPort}/health/ready`).catch(() => null);
        return ready?.ok;
      });
      return eventStore;
    } catch (error) {
      // No one receives the object, so no one else could end the process.
      await eventStore.kill();
      throw error;
    }
  }

  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** The errors it logged. */
  get errors(): readonly string[] {
    return this.output.split('\n').filter((line) => /"level":(50|60|"error"|"fatal")/.test(line));
  }

  /** Kills it with SIGKILL. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  /** A new process on the same data and port. */
  restart(): Promise<EventStoreProcess> {
    return EventStoreProcess.start({ dataDir: this.dataDir, port: this.port });
  }

  removeData(): void {
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** Starts an event store that is expected to exit by itself. */
export async function startEventStoreRefused(given: Readonly<Record<string, string>>): ReturnType<typeof refusedStart> {
  const { NODE_OPTIONS: _unused, ...inherited } = process.env;
  const ports = { EVENTSTORE_PORT: String(await freePort()), PORT: String(await freePort()) };
  return refusedStart('eventstore', { ...inherited, ...ports, ...given });
}
