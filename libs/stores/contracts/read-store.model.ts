import type { Checkpoint, ListEntry, ProjectionVersion, ReadStore } from '@app/event-sourcing';
import { propertyRuns } from '@app/platform/testing';
import fc from 'fast-check';
import { KEYS, NAMES, type Step, step, type StepOf } from './read-store.steps';

const LAST_EVENT = { streamId: 's-1', revision: 1 };
const STALE: Checkpoint = { position: 2n ** 60n - 1n, lastEvent: { ...LAST_EVENT, id: 'stale' }, events: 1 };

/** The plainest read store there could be, held against the real one after every step. */
class Model {
  private nowMs = 100;
  private readonly documents = new Map<string, { document: object; listEntries: readonly ListEntry[] }>();
  /** By name, then by owner: until when. */
  private readonly leases = new Map<string, Map<string, number>>();
  private commits = 0n;

  constructor(
    private readonly store: ReadStore,
    private version: ProjectionVersion,
  ) {}

  async run(each: Step): Promise<void> {
    if (each.kind === 'commit') await this.commit(each);
    else if (each.kind === 'stop') await this.stop(each);
    else if (each.kind === 'lease') await this.lease(each);
    else if (each.kind === 'page') await this.page(each);
    else if (each.kind === 'wait') this.nowMs = Math.max(0, this.nowMs + each.ms);
    else {
      const { projection, declaredVersion } = this.version;
      this.version = await this.store.restart(projection, { declaredVersion, head: each.head, nowMs: 1 });
      this.documents.clear();
    }
    for (const name of NAMES) await this.compare(name);
  }

  private async commit({ writes, stale }: StepOf<'commit'>): Promise<void> {
    const { projection, version, declaredVersion, checkpoint: expected } = this.version;
    this.commits += 1n;
    const lastEvent = { ...LAST_EVENT, id: `e${this.commits}` };
    const next: Checkpoint = { position: 2n ** 60n + this.commits, lastEvent, events: 1 };
    const outcome = await this.store.commit({
      projection,
      version,
      declaredVersion,
      expected: stale ? STALE : expected,
      next,
      writes: writes.map(({ name, ...rest }) => ({ collection: name, ...rest })),
    });
    expect(outcome).toBe(stale ? 'fenced' : 'committed');
    if (stale) return;
    this.version = { ...this.version, checkpoint: next, stop: null };
    for (const { name, key, document, listEntries } of writes) {
      if (document === null) this.documents.delete(`${name}/${key}`);
      else this.documents.set(`${name}/${key}`, { document, listEntries });
    }
  }

  private async stop({ reason, stale }: StepOf<'stop'>): Promise<void> {
    const { projection, version, declaredVersion, checkpoint } = this.version;
    const event = { ...LAST_EVENT, id: 'e', type: 'Exploded' };
    const stop = reason === null ? null : { position: 2n ** 62n, event, reason, atMs: this.nowMs };
    const expected = stale ? STALE : checkpoint;
    const commit = { projection, version, declaredVersion, expected, next: expected, writes: [], stop };
    expect(await this.store.commit(commit)).toBe(stale ? 'fenced' : 'committed');
    if (!stale) this.version = { ...this.version, stop };
  }

  private async lease({ name, owner, leaseMs, seats }: StepOf<'lease'>): Promise<void> {
    const { nowMs } = this;
    const unique = `${this.version.projection} ${name}`;
    const held = this.leases.get(unique) ?? new Map<string, number>();
    this.leases.set(unique, held);
    if (leaseMs === 0) held.delete(owner);
    else {
      for (const [holder, untilMs] of held) if (untilMs <= nowMs || untilMs > nowMs + 2 * leaseMs) held.delete(holder);
      if (held.has(owner) || held.size < seats) held.set(owner, nowMs + leaseMs);
    }
    const holders = [...held].flatMap(([holder, untilMs]) => (untilMs > nowMs ? [holder] : []));
    expect(await this.store.lease({ name: unique, owner, nowMs, leaseMs, seats })).toEqual(holders.sort());
  }

  private async compare(name: string): Promise<void> {
    const { projection } = this.version;
    const found = await this.store.getMany({ projection, collection: name }, KEYS);
    expect(found).toEqual(KEYS.map((key) => this.documents.get(`${name}/${key}`)?.document ?? null));
    expect(await this.store.versions(projection)).toEqual({ active: this.version, building: null });
  }

  private async page({ name, list, direction, after, until, limit }: StepOf<'page'>): Promise<void> {
    const sign = direction === 'ascending' ? 1 : -1;
    const listEntries = KEYS.flatMap((key) => {
      const stored = this.documents.get(`${name}/${key}`);
      const orders = new Set(stored?.listEntries.filter((entry) => entry.list === list).map(({ order }) => order));
      return [...orders].map((order) => ({ key, order, document: stored?.document }));
    });
    const wanted = listEntries
      .filter(({ order }) => after === null || sign * compare(order, after) > 0)
      .filter(({ order }) => until === null || sign * compare(order, until) < 0)
      .sort((one, other) => sign * (compare(one.order, other.order) || compare(one.key, other.key)))
      .slice(0, limit);
    const collection = { projection: this.version.projection, collection: name };
    expect(await this.store.page({ name: collection, list, direction, after, until, limit })).toEqual(wanted);
  }
}

function compare(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Any sequence of commits, stops, leases, restarts and waiting leaves the store as it leaves the model. */
export function describeReadStoreModel(current: () => ReadStore): void {
  it('does what a plain model does', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const store = current();
        runs += 1;
        const model = new Model(store, await store.open(`model ${runs}`, { declaredVersion: 1, head: null, nowMs: 1 }));
        for (const each of steps) await model.run(each);
      }),
      { numRuns: propertyRuns(100) },
    );
  });
}
