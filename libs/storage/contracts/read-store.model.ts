import type { Checkpoint, Due, ListPlace, ProjectionVersion, ReadStore } from '@app/kernel';
import fc from 'fast-check';
import { KEYS, NAMES, type Step, step, type StepOf } from './read-store.steps';

/** The plainest read store there could be, held against the real one after every step. */
class Model {
  nowMs = 0;
  readonly documents = new Map<string, { document: object; due: Due | null; places: readonly ListPlace[] }>();
  readonly claims = new Map<string, { owner: string; untilMs: number }>();
  private commits = 0n;

  constructor(
    private readonly store: ReadStore,
    private version: ProjectionVersion,
  ) {}

  async run(each: Step): Promise<void> {
    if (each.kind === 'commit') await this.commit(each);
    else if (each.kind === 'claim') await this.claim(each);
    else if (each.kind === 'page') await this.page(each);
    else if (each.kind === 'wait') this.nowMs = Math.max(0, this.nowMs + each.ms);
    else if (each.kind === 'end void waits') await this.endVoidWaits(each);
    else if (each.kind !== 'restart') await this.giveOrKeep(each);
    else {
      this.version = await this.store.restart(this.version.projection, {
        declaredVersion: this.version.declaredVersion,
        head: each.head,
        nowMs: 1,
      });
      this.documents.clear();
    }
    for (const name of NAMES) await this.compare(name);
  }

  private async commit({ writes, stale }: StepOf<'commit'>): Promise<void> {
    const { projection, version, declaredVersion, checkpoint: expected } = this.version;
    this.commits += 1n;
    const lastEvent = { id: `e${this.commits}`, streamId: 's-1', revision: Number(this.commits) };
    const next: Checkpoint = { position: 2n ** 60n + this.commits, lastEvent, events: 1 };
    const outcome = await this.store.commit({
      projection,
      version,
      declaredVersion,
      expected: stale ? { position: 2n ** 60n - 1n, lastEvent, events: 1 } : expected,
      next,
      writes: writes.map(({ name, ...rest }) => ({ collection: name, ...rest })),
    });
    expect(outcome).toBe(stale ? 'fenced' : 'committed');
    if (stale) return;
    this.version = { ...this.version, checkpoint: next };
    for (const { name, key, document, due, places } of writes) {
      if (document === null) this.documents.delete(`${name}/${key}`);
      else this.documents.set(`${name}/${key}`, { document, due, places });
    }
  }

  private async claim({ name, owner, limit, leaseMs, group }: StepOf<'claim'>): Promise<void> {
    const candidates = this.claimable(name).filter(({ due }) => group === null || due.group === group);
    const request = { list: this.list(name), nowMs: this.nowMs, limit, owner, leaseMs };
    const claimed = await this.store.claim(group === null ? request : { ...request, group });
    // Which of several that fell due at the same time comes first is left to the store.
    const dueTimes = claimed.map(({ key }) => candidates.find((each) => each.key === key)?.due.dueAtMs);
    expect(dueTimes).toEqual(candidates.slice(0, limit).map(({ due }) => due.dueAtMs));
    expect(new Set(claimed.map(({ key }) => key)).size).toBe(claimed.length);
    for (const { key, document } of claimed) {
      expect(document).toEqual(this.documents.get(`${name}/${key}`)?.document);
      this.claims.set(`${name}/${key}`, { owner, untilMs: this.nowMs + leaseMs });
    }
  }

  private async endVoidWaits({ name, behindMs, leaseMs }: StepOf<'end void waits'>): Promise<void> {
    const [settledMs, wallMs] = [this.nowMs, this.nowMs + behindMs];
    const held = [...this.claims].filter(
      ([key, { untilMs }]) => key.startsWith(`${name}/`) && untilMs > wallMs + 2 * leaseMs,
    );
    const waiting = this.items(name).filter(({ due: { dueAtMs, waitsFromMs = null } }) => {
      if (waitsFromMs === null) return false;
      return waitsFromMs >= dueAtMs ? dueAtMs > settledMs : waitsFromMs > wallMs;
    });
    const found = await this.store.endVoidWaits(this.list(name), { wallMs, settledMs }, leaseMs);
    expect(found).toBe(held.length + waiting.length > 0);
    for (const [key] of held) this.claims.delete(key);
    for (const { key, due } of waiting) {
      const stored = this.documents.get(`${name}/${key}`);
      if (stored !== undefined) stored.due = { ...due, dueAtMs: settledMs, waitsFromMs: settledMs };
    }
  }

  private async giveOrKeep({ kind, name, owner, keys, leaseMs }: StepOf<'renew' | 'release'>): Promise<void> {
    const held = keys.filter((key) => this.claims.get(`${name}/${key}`)?.owner === owner);
    if (kind === 'release') {
      await this.store.release(this.list(name), keys, owner);
      for (const key of held) this.claims.delete(`${name}/${key}`);
      return;
    }
    const untilMs = this.nowMs + leaseMs;
    const kept = await this.store.renew(this.list(name), keys, owner, untilMs);
    for (const key of keys) {
      const claim = this.claims.get(`${name}/${key}`);
      if (claim === undefined || claim.owner !== owner) expect(kept).not.toContain(key);
      else if (claim.untilMs > this.nowMs) expect(kept).toContain(key);
      // An ended lease that nobody else has taken may be renewed or forgotten: either is safe, if it is what the store says.
      else if (!kept.includes(key)) this.claims.delete(`${name}/${key}`);
      if (claim !== undefined && kept.includes(key)) {
        this.claims.set(`${name}/${key}`, { owner, untilMs: Math.max(claim.untilMs, untilMs) });
      }
    }
  }

  private async compare(name: string): Promise<void> {
    const list = this.list(name);
    const found = await this.store.getMany(list, KEYS);
    expect(found).toEqual(KEYS.map((key) => this.documents.get(`${name}/${key}`)?.document ?? null));
    expect(await this.store.active(list.projection)).toEqual(this.version);
    expect(await this.store.depth(list)).toBe(this.items(name).length);
    const times = this.items(name).map(({ key, due }) =>
      Math.max(due.dueAtMs, this.claims.get(`${name}/${key}`)?.untilMs ?? 0),
    );
    expect(await this.store.nextDueAtMs(list)).toBe(times.length === 0 ? null : Math.min(...times));
    const dueTimes = this.items(name).map(({ due }) => due.dueAtMs);
    expect(await this.store.firstDueAtMs(list)).toBe(dueTimes.length === 0 ? null : Math.min(...dueTimes));
    await this.compareGroups(name);
  }

  private async page({ name, list, direction, after, until, limit }: StepOf<'page'>): Promise<void> {
    const sign = direction === 'ascending' ? 1 : -1;
    const places = KEYS.flatMap((key) => {
      const stored = this.documents.get(`${name}/${key}`);
      const orders = new Set(stored?.places.filter((place) => place.list === list).map(({ order }) => order));
      return [...orders].map((order) => ({ key, order, document: stored?.document }));
    });
    const wanted = places
      .filter(({ order }) => after === null || sign * compare(order, after) > 0)
      .filter(({ order }) => until === null || sign * compare(order, until) < 0)
      .sort((one, other) => sign * (compare(one.order, other.order) || compare(one.key, other.key)))
      .slice(0, limit);
    expect(await this.store.page({ name: this.list(name), list, direction, after, until, limit })).toEqual(wanted);
  }

  private async compareGroups(name: string): Promise<void> {
    const since = new Map<string, number>();
    for (const { due } of this.claimable(name)) {
      if (!since.has(due.group)) since.set(due.group, due.dueAtMs);
    }
    for (const [limit, perOwner] of [
      [2, 10],
      [10, 10],
      [3, 2],
      [10, 1],
    ] as const) {
      const groups = await this.store.dueGroups(this.list(name), this.nowMs, limit, perOwner);
      // Which of several that wait as long comes first is left to the store.
      expect(groups.map((group) => since.get(group))).toEqual(this.turns(since, perOwner).flat().slice(0, limit));
      expect(new Set(groups).size).toBe(groups.length);
    }
  }

  /** For each turn, since when the groups wait whose turn it is. */
  private turns(since: ReadonlyMap<string, number>, perOwner: number): number[][] {
    const turns = Array.from({ length: perOwner }, (): number[] => []);
    const owners = new Set([...since.keys()].map((group) => group.split('|')[0]));
    for (const owner of owners) {
      const times = [...since].flatMap(([group, at]) => (group.split('|')[0] === owner ? [at] : []));
      times.sort((one, other) => one - other).forEach((at, turn) => turns[turn]?.push(at));
    }
    return turns.map((times) => times.sort((one, other) => one - other));
  }

  private items(name: string): { key: string; due: Due }[] {
    return KEYS.flatMap((key) => {
      const due = this.documents.get(`${name}/${key}`)?.due ?? null;
      return due === null ? [] : [{ key, due }];
    });
  }

  private claimable(name: string): { key: string; due: Due }[] {
    return this.items(name)
      .filter(
        ({ key, due }) => due.dueAtMs <= this.nowMs && (this.claims.get(`${name}/${key}`)?.untilMs ?? 0) <= this.nowMs,
      )
      .sort((one, other) => one.due.dueAtMs - other.due.dueAtMs);
  }

  private list(name: string): { projection: string; collection: string } {
    return { projection: this.version.projection, collection: name };
  }
}

function compare(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Any sequence of commits, claims, renewals, releases, restarts and waiting leaves the store as it leaves the model. */
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
      { numRuns: 100 },
    );
  });
}
