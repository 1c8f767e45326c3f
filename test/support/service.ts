import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endEventStoreOf, eventStoreOf } from './event-store-of';
import { freePort } from './free-port';
import { loadOpenApi } from './openapi-conformance';

export { eventually } from './eventually';
export { freePort } from './free-port';

const ROOT = resolve(__dirname, '../..');
const NODE = join(ROOT, 'node_modules/.bin/node');
const MAIN = join(ROOT, 'dist/apps/ledger/main.js');

export interface SandboxCredentials {
  readonly merchantId: string;
  readonly accessToken: string;
  readonly signingSecret: string;
  readonly webhookSecret: string;
}

export interface ServiceOptions {
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How long it may take to get ready; 20 s by default. */
  readonly readyWithinMs?: number;
}

/**
 * The built service as a process of its own, on a free port and a folder of its own; with an event store beside it where the
 * suite runs on EventStoreDB, which stays when the service ends.
 */
export class Service {
  private output = '';

  private constructor(
    readonly child: ChildProcess,
    readonly dataDir: string,
    readonly url: string,
  ) {
    const collect = (chunk: Buffer) => {
      this.output += chunk.toString('utf8');
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
  }

  /** Starts it and waits until it is ready. */
  static async start(options: ServiceOptions = {}): Promise<Service> {
    const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'counterfoil-'));
    const port = Number(options.env?.['PORT'] ?? (await freePort()));
    const env = await environment(dataDir, { RATE_LIMIT: 'off', ...options.env, PORT: String(port) });
    const child = spawn(NODE, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const service = new Service(child, dataDir, `http://127.0.0.1:${port}`);
    try {
      await service.untilReady(options.readyWithinMs ?? 20_000);
      await loadOpenApi(service.url);
      return service;
    } catch (error) {
      // Nobody gets to hold it, so nobody else could end it.
      await service.kill();
      throw error;
    }
  }

  /** Starts the service again where this one has ended: the same folder, the same port. */
  restart(env: Readonly<Record<string, string>> = {}): Promise<Service> {
    return Service.start({ dataDir: this.dataDir, env: { ...env, PORT: new URL(this.url).port } });
  }

  get credentials(): SandboxCredentials {
    return JSON.parse(readFileSync(join(this.dataDir, 'sandbox.json'), 'utf8')) as SandboxCredentials;
  }

  get operatorToken(): string {
    return readFileSync(join(this.dataDir, 'operator.token'), 'utf8').trim();
  }

  /** Everything it has written to stdout and stderr so far. */
  get log(): string {
    return this.output;
  }

  /** What it logged as an error: nothing that a test of ours does may be one. */
  get errors(): readonly string[] {
    return this.output.split('\n').filter((line) => /"level":(50|60|"error"|"fatal")/.test(line));
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Drains and ends; resolves to the exit code. */
  stop(): Promise<number | null> {
    return this.end('SIGTERM');
  }

  /** Dies on the spot, as at a power cut of the process. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Once it has ended: its folder goes, and with it the event store that was started for it. */
  async removeData(): Promise<void> {
    await endEventStoreOf(this.dataDir);
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.running) {
      const exited = once(this.child, 'exit');
      this.child.kill(signal);
      await exited;
    }
    return this.child.exitCode;
  }

  private async untilReady(withinMs: number): Promise<void> {
    const deadline = Date.now() + withinMs;
    while (Date.now() < deadline) {
      if (!this.running) throw new Error(`The service ended at its start:\n${this.output}`);
      const ready = await fetch(`${this.url}/health/ready`).catch(() => null);
      if (ready?.status === 200) return;
      await new Promise((wake) => setTimeout(wake, 50));
    }
    throw new Error(`The service did not get ready:\n${this.output}`);
  }
}

/** Starts a second process on the folder, which is expected to end by itself. */
export async function startRefused(
  dataDir: string,
  given: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = await environment(dataDir, { PORT: String(await freePort()), ...given });
  const child = spawn(NODE, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  // A process that lives on in spite of it would hold the test, and the data, for ever.
  const limit = setTimeout(() => child.kill('SIGKILL'), 15_000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  return { code, output };
}

/** What a service on this folder is started with. Which event store it uses is never inherited. */
async function environment(dataDir: string, given: Readonly<Record<string, string>>): Promise<NodeJS.ProcessEnv> {
  const { NODE_OPTIONS: _options, EVENTSTORE_URL: _url, STREAM_PREFIX: _prefix, ...inherited } = process.env;
  const eventStore = 'EVENTSTORE_URL' in given ? null : await eventStoreOf(dataDir);
  return { ...inherited, DATA_DIR: dataDir, ...eventStore, ...given };
}

export function builtServiceExists(): boolean {
  return existsSync(MAIN);
}
