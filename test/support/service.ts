import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port';
import { loadOpenApi } from './openapi-conformance';
import { rolesOf } from './programs';
import { refusedStart } from './refused-start';
import { type Program, ServiceProcess } from './service-process';
import { endStoresOf, isDistributed, storesOf } from './stores-of';

export { eventually } from './eventually';
export { freePort } from './free-port';

export interface SandboxCredentials {
  readonly merchantId: string;
  readonly accessToken: string;
  readonly signingSecret: string;
  readonly webhookSecret: string;
}

export interface ServiceOptions {
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How long it may take to become ready; 20 s by default. */
  readonly readyWithinMs?: number;
}

/**
 * The built service, on free ports and a new folder: one process, or one per role if the suite runs distributed. The
 * stores that the suite runs on are started with it, and remain when the service ends.
 */
export class Service {
  private constructor(
    /** The API's process comes first. */
    private readonly processes: readonly [ServiceProcess, ...ServiceProcess[]],
    readonly dataDir: string,
  ) {}

  /** Starts it and waits until it is ready. */
  static async start(options: ServiceOptions = {}): Promise<Service> {
    const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'counterfoil-'));
    const port = options.env?.['PORT'] ?? String(await freePort());
    const env = await environment(dataDir, { RATE_LIMIT: 'off', ...options.env });
    const service = new Service(await startAll({ ...env, PORT: port }, options.readyWithinMs), dataDir);
    try {
      await loadOpenApi(service.url);
      return service;
    } catch (error) {
      // No one receives the object, so no one else could end the service.
      await service.kill();
      throw error;
    }
  }

  /** Starts the service again after it has ended, on the same folder and port. */
  restart(env: Readonly<Record<string, string>> = {}): Promise<Service> {
    return Service.start({ dataDir: this.dataDir, env: { ...env, PORT: new URL(this.url).port } });
  }

  get url(): string {
    return this.processes[0].url;
  }

  /** The metrics of all its processes. */
  async metrics(): Promise<string> {
    const texts = this.processes.map(async ({ url }) => (await fetch(`${url}/metrics`)).text());
    return (await Promise.all(texts)).join('\n');
  }

  get credentials(): SandboxCredentials {
    return JSON.parse(readFileSync(join(this.dataDir, 'sandbox.json'), 'utf8')) as SandboxCredentials;
  }

  get operatorToken(): string {
    return readFileSync(join(this.dataDir, 'operator.token'), 'utf8').trim();
  }

  /** Everything written to stdout and stderr so far, process by process. */
  get log(): string {
    return this.processes.map(({ log }) => log).join('');
  }

  /** The errors it logged; no test may cause any. */
  get errors(): readonly string[] {
    return this.processes.flatMap(({ errors }) => errors);
  }

  /** The process that holds the embedded log. */
  get pid(): number {
    return this.processes[0].pid;
  }

  get running(): boolean {
    return this.processes.every(({ running }) => running);
  }

  /** Drains and exits; resolves to the exit code, or the first that is not 0 if there are several. */
  async stop(): Promise<number | null> {
    const codes = await Promise.all(this.processes.map((one) => one.end('SIGTERM')));
    return codes.find((code) => code !== 0) ?? codes[0] ?? null;
  }

  /** Kills it with SIGKILL, like a crash of the process. */
  async kill(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.end('SIGKILL')));
  }

  /** Freezes its processes until `thaw`. */
  async freeze(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.freeze()));
  }

  thaw(): void {
    for (const one of this.processes) one.thaw();
  }

  /** Removes its folder after it has ended, and the stores that were started for it. */
  async removeData(): Promise<void> {
    await endStoresOf(this.dataDir);
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** The process that uses `PORT` comes first; the others start at the same time on their own ports. */
async function startAll(
  env: NodeJS.ProcessEnv & { readonly PORT: string },
  readyWithinMs?: number,
): Promise<readonly [ServiceProcess, ...ServiceProcess[]]> {
  const others: readonly Program[] = isDistributed ? ['projector', 'processor', 'webhooks'] : [];
  const outcomes = await Promise.allSettled([
    ServiceProcess.start(isDistributed ? 'api' : 'counterfoil', env, readyWithinMs),
    ...others.map(async (role) =>
      ServiceProcess.start(role, { ...env, PORT: String(await freePort()) }, readyWithinMs),
    ),
  ]);
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    await Promise.all(started.map((one) => one.end('SIGKILL')));
    throw outcome.reason;
  }
  const [first, ...more] = started;
  if (first === undefined) throw new Error('There is always a first process');
  return [first, ...more];
}

/** Starts a second process on the folder, which is expected to exit by itself. */
export async function startRefused(
  dataDir: string,
  given: Readonly<Record<string, string>> = {},
  program: Program = isDistributed ? 'api' : 'counterfoil',
): ReturnType<typeof refusedStart> {
  const env = await environment(dataDir, { PORT: String(await freePort()), ...given });
  return refusedStart('counterfoil', { ...env, ...rolesOf(program) });
}

/** The environment of a service on this folder. The choice of stores is never inherited. */
export async function environment(
  dataDir: string,
  given: Readonly<Record<string, string>>,
): Promise<NodeJS.ProcessEnv> {
  const {
    NODE_OPTIONS: _options,
    EVENTSTORE_URL: _url,
    STREAM_PREFIX: _prefix,
    ROLES: _roles,
    ...inherited
  } = process.env;
  const { REDIS_URL: _redis, ...others } = inherited;
  return { ...others, DATA_DIR: dataDir, ...(await storesOf(dataDir, given)), ...given };
}
