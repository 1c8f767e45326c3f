import type { Role } from '@app/platform/configuration';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RedisServer } from '@app/stores/testing/redis/redis-server';
import { EventStoreProcess } from './event-store-process';
import { freePort } from './free-port';
import { loadOpenApi } from './openapi-conformance';
import { endRedisOf, redisOf } from './redis-of';
import { seedLog } from './seeded-log';
import { environment, type SandboxCredentials } from './service';
import { ServiceProcess } from './service-process';

/**
 * So many processes that start at the same time get in each other's way, and in that of whatever else the machine does.
 */
const READY_WITHIN_MS = 240_000;

export interface DeploymentOptions {
  /** Completed payments of the sandbox's merchant that are in the log from the beginning; none by default. */
  readonly seededPayments?: number;
  /** What all its processes, the event store's too, are started with beside the rest. */
  readonly env?: Readonly<Record<string, string>>;
  /** At which address its processes are to reach its Redis; straight, unless said otherwise. */
  readonly redisUrl?: (redis: RedisServer) => Promise<string>;
}

/** Several processes of each role on one EventStoreDB and one Redis, on a machine and a folder that they share. */
export class Deployment {
  private constructor(
    readonly dataDir: string,
    readonly eventStore: EventStoreProcess,
    readonly redis: RedisServer,
    private readonly env: NodeJS.ProcessEnv,
    private readonly processes = new Map<Role, ServiceProcess[]>(),
  ) {}

  /** Starts all of them at once, as a machine does that comes up, and waits until each is ready. */
  static async start(
    counts: Readonly<Record<Role, number>>,
    { seededPayments = 0, redisUrl = async ({ url }) => url, env: given = {} }: DeploymentOptions = {},
  ): Promise<Deployment> {
    const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-roles-'));
    if (seededPayments > 0) await seed(dataDir, seededPayments);
    const eventStore = await EventStoreProcess.start({ dataDir: join(dataDir, 'eventstore'), env: given });
    const redis = await redisOf(dataDir);
    const stores = { EVENTSTORE_URL: eventStore.url, REDIS_URL: await redisUrl(redis) };
    const env = await environment(dataDir, { ...stores, PROJECTION_PARTITIONS: '4', RATE_LIMIT: 'off', ...given });
    const deployment = new Deployment(dataDir, eventStore, redis, env);
    const roles = Object.entries(counts).flatMap(([role, count]) => Array<Role>(count).fill(role as Role));
    const starts = roles.map((role) => deployment.add(role));
    try {
      for (const outcome of await Promise.allSettled(starts)) if (outcome.status === 'rejected') throw outcome.reason;
      for (const { url } of deployment.of('api').slice(0, 1)) await loadOpenApi(url);
      return deployment;
    } catch (error) {
      await deployment.end();
      throw error;
    }
  }

  of(role: Role): ServiceProcess[] {
    const known = this.processes.get(role) ?? [];
    this.processes.set(role, known);
    return known;
  }

  get all(): readonly ServiceProcess[] {
    return [...this.processes.values()].flat();
  }

  /** Of its first API. */
  get url(): string {
    const [api] = this.of('api');
    if (api === undefined) throw new Error('It has no API');
    return api.url;
  }

  get credentials(): SandboxCredentials {
    return JSON.parse(readFileSync(join(this.dataDir, 'sandbox.json'), 'utf8')) as SandboxCredentials;
  }

  get operatorToken(): string {
    return readFileSync(join(this.dataDir, 'operator.token'), 'utf8').trim();
  }

  /** What was logged as an error by those that run: nothing that a test of ours does may be one. */
  get errors(): readonly string[] {
    return this.all.flatMap(({ errors }) => errors);
  }

  /** One more process of the role, of this build or of another. */
  async add(role: Role, build?: string): Promise<ServiceProcess> {
    const env = { ...this.env, PORT: String(await freePort()) };
    const started = await ServiceProcess.start(role, env, READY_WITHIN_MS, build);
    this.of(role).push(started);
    return started;
  }

  /** One of them dies on the spot; the others go on. */
  async kill(role: Role, index: number): Promise<void> {
    await this.of(role)[index]?.end('SIGKILL');
  }

  /** What has died comes back on its port. */
  async bringBack(role: Role, index: number): Promise<void> {
    const dead = this.of(role)[index];
    if (dead !== undefined) this.of(role)[index] = await dead.startAgain();
  }

  /** The parts of projections that one of the projectors follows now. */
  followedBy(index: number): ReadonlySet<string> {
    const parts = new Set<string>();
    for (const line of this.of('projector')[index]?.log.split('\n') ?? []) {
      if (!line.includes('"projectors":')) continue;
      const { msg, projectors: part } = JSON.parse(line) as { readonly msg: string; readonly projectors: string };
      if (msg === 'taken over by this process') parts.add(part);
      if (msg === 'left to another process') parts.delete(part);
    }
    return parts;
  }

  /** All drain at the same time. @returns their exit codes. */
  async stop(): Promise<readonly (number | null)[]> {
    return Promise.all(this.all.map((one) => one.end('SIGTERM')));
  }

  /** Ends everything, whatever state it is in, and removes what it has written. */
  async end(): Promise<void> {
    await Promise.all(this.all.map((one) => one.end('SIGKILL')));
    await endRedisOf(this.dataDir);
    await this.eventStore.kill();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

async function seed(dataDir: string, payments: number): Promise<void> {
  const folder = join(dataDir, 'eventstore');
  mkdirSync(folder);
  await seedLog(folder, payments);
  renameSync(join(folder, 'sandbox.json'), join(dataDir, 'sandbox.json'));
}
