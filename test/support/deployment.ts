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
 * This many processes starting at the same time slow each other down, and compete with everything else on the machine.
 */
const READY_WITHIN_MS = 240_000;

export interface DeploymentOptions {
  /** Completed payments of the sandbox's merchant that are in the log from the start; none by default. */
  readonly seededPayments?: number;
  /** Additional environment of all processes, including the event store. */
  readonly env?: Readonly<Record<string, string>>;
  /** The address at which its processes reach its Redis; directly by default. */
  readonly redisUrl?: (redis: RedisServer) => Promise<string>;
}

/** Several processes of each role on one EventStoreDB and one Redis, with a shared machine and folder. */
export class Deployment {
  private constructor(
    readonly dataDir: string,
    readonly eventStore: EventStoreProcess,
    readonly redis: RedisServer,
    private readonly env: NodeJS.ProcessEnv,
    private readonly processes = new Map<Role, ServiceProcess[]>(),
  ) {}

  /** Starts all of them at once, like a machine that boots, and waits until each is ready. */
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

  /** The URL of its first API process. */
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

  /** Errors logged by the running processes; no test may cause any. */
  get errors(): readonly string[] {
    return this.all.flatMap(({ errors }) => errors);
  }

  /** Starts another process of the role, from this build or another one. */
  async add(role: Role, build?: string): Promise<ServiceProcess> {
    const env = { ...this.env, PORT: String(await freePort()) };
    const started = await ServiceProcess.start(role, env, READY_WITHIN_MS, build);
    this.of(role).push(started);
    return started;
  }

  /** Kills one of them with SIGKILL; the others continue. */
  async kill(role: Role, index: number): Promise<void> {
    await this.of(role)[index]?.end('SIGKILL');
  }

  /** Restarts a killed process on its port. */
  async bringBack(role: Role, index: number): Promise<void> {
    const dead = this.of(role)[index];
    if (dead !== undefined) this.of(role)[index] = await dead.startAgain();
  }

  /** The partitions that one of the projectors currently follows. */
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

  /** Drains all of them at the same time. @returns their exit codes. */
  async stop(): Promise<readonly (number | null)[]> {
    return Promise.all(this.all.map((one) => one.end('SIGTERM')));
  }

  /** Ends everything, in whatever state it is, and removes its data. */
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
