import type { Checkpoint, Due, ProjectionVersion, ReadStore } from '@app/kernel';
import fc from 'fast-check';

const NAMES = ['todo', 'views'] as const;
const KEYS = ['a', 'b', 'ç', 'd', '支', 'f'] as const;
const GROUPS = ['g', 'h', 'i'] as const;
const OWNERS = ['one', 'two', 'three'] as const;

const write = fc.record({
  name: fc.constantFrom(...NAMES),
  key: fc.constantFrom(...KEYS),
  document: fc.option(fc.record({ n: fc.nat(9), text: fc.string({ unit: 'grapheme', maxLength: 4 }) }), { freq: 4 }),
  due: fc.option(fc.record({ dueAtMs: fc.nat(60), group: fc.constantFrom(...GROUPS) }), { freq: 5 }),
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      writes: fc.array(write, { maxLength: 8 }),
      stale: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('claim' as const),
      name: fc.constantFrom(...NAMES),
      owner: fc.constantFrom(...OWNERS),
      limit: fc.integer({ min: 1, max: 4 }),
      leaseMs: fc.integer({ min: 1, max: 20 }),
      group: fc.option(fc.constantFrom(...GROUPS)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('renew' as const, 'release' as const),
      name: fc.constantFrom(...NAMES),
      owner: fc.constantFrom(...OWNERS),
      keys: fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 3 }),
      leaseMs: fc.integer({ min: 1, max: 20 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 15 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('restart' as const), head: fc.option(fc.bigInt(0n, 2n ** 64n - 1n)) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;

/** The plainest read store there could be, held against the real one after every step. */
class Model {
  nowMs = 0;
  readonly documents = new Map<string, { document: object; due: Due | null }>();
  readonly claims = new Map<string, { owner: string; untilMs: number }>();
  private commits = 0n;

  constructor(
    private readonly store: ReadStore,
    private version: ProjectionVersion,
  ) {}

  async run(each: Step): Promise<void> {
    if (each.kind === 'commit') await this.commit(each);
    else if (each.kind === 'claim') await this.claim(each);
    else if (each.kind === 'wait') this.nowMs += each.ms;
    else if (each.kind !== 'restart') await this.giveOrKeep(each);
    else {
      this.version = await this.store.restart(this.version.projection, this.version.codeHash, each.head);
      this.documents.clear();
    }
    for (const name of NAMES) await this.compare(name);
  }

  private async commit({ writes, stale }: StepOf<'commit'>): Promise<void> {
    const { projection, version, codeHash, checkpoint: expected } = this.version;
    this.commits += 1n;
    const lastEvent = { id: `e${this.commits}`, streamId: 's-1', revision: Number(this.commits) };
    const next: Checkpoint = { position: 2n ** 60n + this.commits, lastEvent };
    const outcome = await this.store.commit({
      projection,
      version,
      codeHash,
      expected: stale ? { position: 2n ** 60n - 1n, lastEvent } : expected,
      next,
      writes: writes.map(({ name, key, document, due }) => ({ collection: name, key, document, due })),
    });
    expect(outcome).toBe(stale ? 'fenced' : 'committed');
    if (stale) return;
    this.version = { ...this.version, checkpoint: next };
    for (const { name, key, document, due } of writes) {
      if (document === null) this.documents.delete(`${name}/${key}`);
      else this.documents.set(`${name}/${key}`, { document, due });
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
    await this.compareGroups(name);
  }

  private async compareGroups(name: string): Promise<void> {
    const since = new Map<string, number>();
    for (const { due } of this.claimable(name)) {
      if (!since.has(due.group)) since.set(due.group, due.dueAtMs);
    }
    for (const limit of [2, 10]) {
      const groups = await this.store.dueGroups(this.list(name), this.nowMs, limit);
      expect(groups.map((group) => since.get(group))).toEqual([...since.values()].slice(0, limit));
      expect(new Set(groups).size).toBe(groups.length);
    }
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

/** Any sequence of commits, claims, renewals, releases, restarts and waiting leaves the store as it leaves the model. */
export function describeReadStoreModel(current: () => ReadStore): void {
  it('does what a plain model does', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const store = current();
        runs += 1;
        const model = new Model(store, await store.open(`model ${runs}`, 'c'.repeat(64), null));
        for (const each of steps) await model.run(each);
      }),
      { numRuns: 100 },
    );
  });
}
