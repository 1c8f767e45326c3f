import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RedisServer } from '@app/storage/testing/redis/redis-server';
import { EventStoreProcess } from './event-store-process';
import { freePort } from './free-port';
import { loadOpenApi } from './openapi-conformance';
import { endRedisOf, redisOf } from './redis-of';
import { environment, type SandboxCredentials } from './service';
import { type Program, ServiceProcess } from './service-process';

export type RoleName = Exclude<Program, 'ledger'>;

/** Several processes of each role on one EventStoreDB and one Redis, on a machine and a folder that they share. */
export class Deployment {
  private constructor(
    readonly dataDir: string,
    readonly eventStore: EventStoreProcess,
    readonly redis: RedisServer,
    private readonly processes: Map<RoleName, ServiceProcess[]>,
  ) {}

  /** Starts all of them at once, as a machine does that comes up, and waits until each is ready. */
  static async start(
    counts: Readonly<Record<RoleName, number>>,
    given: Readonly<Record<string, string>> = {},
  ): Promise<Deployment> {
    const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-roles-'));
    const eventStore = await EventStoreProcess.start({ dataDir: join(dataDir, 'eventstore') });
    const redis = await redisOf(dataDir);
    const deployment = new Deployment(dataDir, eventStore, redis, new Map());
    const stores = { EVENTSTORE_URL: eventStore.url, REDIS_URL: redis.url, RATE_LIMIT: 'off' };
    const env = await environment(dataDir, { ...stores, ...given });
    const roles = Object.entries(counts).flatMap(([role, count]) => Array<RoleName>(count).fill(role as RoleName));
    const starts = roles.map(async (role) => {
      deployment.of(role).push(await ServiceProcess.start(role, { ...env, PORT: String(await freePort()) }));
    });
    try {
      for (const outcome of await Promise.allSettled(starts)) if (outcome.status === 'rejected') throw outcome.reason;
      for (const { url } of deployment.of('api').slice(0, 1)) await loadOpenApi(url);
      return deployment;
    } catch (error) {
      await deployment.end();
      throw error;
    }
  }

  of(role: RoleName): ServiceProcess[] {
    const known = this.processes.get(role) ?? [];
    this.processes.set(role, known);
    return known;
  }

  get all(): readonly ServiceProcess[] {
    return [...this.processes.values()].flat();
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

  /** One of them dies on the spot; the others go on. */
  async kill(role: RoleName, index: number): Promise<void> {
    await this.of(role)[index]?.end('SIGKILL');
  }

  /** What has died comes back on its port. */
  async bringBack(role: RoleName, index: number): Promise<void> {
    const dead = this.of(role)[index];
    if (dead !== undefined) this.of(role)[index] = await dead.startAgain();
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
