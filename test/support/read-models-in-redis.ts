import { Keys } from '@app/stores/redis/keys';
import { parseVersions } from '@app/stores/redis/version-texts';
import { Redis } from 'ioredis';
import type { ReadModels, StoredVersion } from './read-models';

/** A test that blocks writers for longer has failed anyway. */
const HOLD_MS = 1_500;

export class ReadModelsInRedis implements ReadModels {
  private readonly client: Redis;
  private readonly keys = new Keys('counterfoil:');

  /** @param projections their names, or those of their partitions. */
  constructor(
    url: string,
    private readonly projections: readonly string[],
  ) {
    this.client = new Redis(url, { protocol: 2 });
  }

  async versionsOf(projection: string): Promise<readonly StoredVersion[]> {
    const flat = (await this.client.call('HGETALL', this.keys.meta(projection))) as readonly string[];
    const { active, building } = parseVersions(projection, flat);
    return [active, building].flatMap((found) => {
      if (found === null) return [];
      const { version, declaredVersion, checkpoint, completeFrom } = found;
      const position = checkpoint === null ? null : Number(checkpoint.position);
      const isActive = found === active;
      return [{ projection, version, declaredVersion, isActive, position, completeFrom: Number(completeFrom ?? 0n) }];
    });
  }

  /** Counts the versions and their collections; each collection is removed in one step. */
  async leftovers(projection: string): Promise<number> {
    const dead = await this.client.smembers(this.keys.dead(projection));
    const counts = dead.map((version) => this.client.scard(this.keys.collections(projection, version)));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, dead.length);
  }

  async contents(): Promise<readonly string[]> {
    const versions = await Promise.all(this.projections.map((projection) => this.versionsOf(projection)));
    const active = versions.flat().filter(({ isActive }) => isActive);
    const all = active.map(({ projection, version }) => this.contentsOf(projection, String(version)));
    return (await Promise.all(all)).flat().sort();
  }

  async hold(): Promise<void> {
    await this.client.call('CLIENT', 'PAUSE', HOLD_MS, 'WRITE');
  }

  async letGo(): Promise<void> {
    await this.client.call('CLIENT', 'UNPAUSE');
  }

  close(): void {
    this.client.disconnect();
  }

  /** Each field of each hash, and each member of each sorted set with its score. */
  private async contentsOf(projection: string, version: string): Promise<readonly string[]> {
    const collections = await this.client.smembers(this.keys.collections(projection, version));
    const keys = collections.flatMap((name) =>
      Object.entries(this.keys.ofCollection(projection, version, name)).map(([kind, key]) => ({ name, kind, key })),
    );
    const lines = keys.map(async ({ name, kind, key }) => {
      const isHash = (await this.client.type(key)) === 'hash';
      const flat = isHash ? this.client.call('HGETALL', key) : this.client.call('ZRANGE', key, 0, -1, 'WITHSCORES');
      const pairs = (await flat) as readonly string[];
      return pairs.flatMap((text, at) =>
        at % 2 === 0 ? [JSON.stringify([projection, name, kind, text, pairs[at + 1]])] : [],
      );
    });
    return (await Promise.all(lines)).flat();
  }
}
