import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { CommandHandling, type ProjectionCommit, ReadStoreUnavailableError, TO_DO } from '@app/event-sourcing';
import { noneSkipped } from '@app/event-sourcing/testing/observer';
import { paymentDecider, paymentStreamId } from '@app/payments/domain';
import { create } from '@app/payments/testing/payments';
import { Metrics } from '@app/platform/telemetry';
import { Supervisor } from '@app/platform/lifecycle';
import { ManualClock, RecordingFindings, RecordingLogger, SeededRandom, settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { LeasedPartitions, type SharedUnit, UNIT_LEASE_MS, type UnitRunner } from './leased-partitions';
import { wholeName } from './partitions';
import { paymentsToProcessList, processingProjection } from '@app/payments/read-models/processing-projection';
import { ProjectionProgress } from './progress';
import { ProjectorWorker } from './projector-worker';

const UNITS = Array.from({ length: 8 }, (_, index) => `p:${index}/8`);
const declared = (names: readonly string[], version = 1): readonly SharedUnit[] =>
  names.map((name) => ({
    name,
    lease: `projector/${name}@${version}`,
    group: `projectors/${wholeName(name)}@${version}`,
  }));
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A process and the units it projects. */
class Member {
  readonly stop = new AbortController();
  readonly projected = new Set<string>();
  readonly left: string[] = [];
  readonly logger = new RecordingLogger();
  readonly shared: LeasedPartitions<SharedUnit>;
  readonly ended: Promise<void>;

  constructor(
    readonly owner: string,
    readStore: MemoryReadStore,
    readonly clock: ManualClock,
    units: readonly SharedUnit[] = declared(UNITS),
    start?: () => UnitRunner,
  ) {
    const begin = ({ name: unit }: SharedUnit): UnitRunner => {
      this.projected.add(unit);
      const end = async () => this.projected.delete(unit);
      return { stop: end, readinessCheck: () => ({ name: unit, check: () => this.trouble }) };
    };
    this.shared = new LeasedPartitions('projectors', units, {
      readStore,
      clock,
      logger: this.logger,
      owner,
      start: start ?? begin,
      left: (unit) => this.left.push(unit),
    });
    this.ended = this.shared.run(this.stop.signal);
    stops.push(() => this.leave());
  }

  trouble: string | null = null;

  async leave(): Promise<void> {
    this.stop.abort();
    await this.clock.advance(5_000);
    await this.ended;
  }
}

function setUp() {
  const clock = new ManualClock();
  const readStore = new MemoryReadStore();
  const join = (owner: string) => new Member(owner, readStore, clock);
  /** How many units each process projects; every unit is projected by exactly one. */
  const shares = (...members: readonly Member[]) => {
    const all = members.flatMap(({ projected }) => [...projected]);
    expect([...all].sort()).toEqual([...UNITS].sort());
    return members.map(({ projected }) => projected.size);
  };
  return { clock, readStore, join, shares };
}

describe('projectors of several processes', () => {
  it.each([2, 4, 8])('of %i share the partitions of each projection, and those of one merchant', async (count) => {
    const [clock, readStore, parts] = [new ManualClock(), new MemoryReadStore(), [0, 1, 2, 3]];
    const units = ['a', 'b', 'c', 'd'].flatMap((name) => parts.map((part) => `${name}:${part}/4`));
    const members = Array.from(
      { length: count },
      (_, index) => new Member(`m${index}`, readStore, clock, declared(units)),
    );
    await clock.advance(10_000);
    const held = members.map(({ projected }) => [...projected]);
    expect(held.map(({ length }) => length)).toEqual(Array.from({ length: count }, () => 16 / count));
    const holders = (pattern: RegExp) => held.filter((own) => own.some((unit) => pattern.test(unit))).length;
    for (const name of ['a', 'b', 'c', 'd']) expect(holders(new RegExp(`^${name}:`))).toBe(Math.min(count, 4));
    for (const part of parts) expect(holders(new RegExp(`:${part}/`))).toBe(Math.min(count, 4));
  });

  it('all run in a process that is alone', async () => {
    const { clock, join, shares } = setUp();
    const only = join('a');
    await settle();
    expect(shares(only)).toEqual([8]);
    await clock.advance(60_000);
    expect(shares(only)).toEqual([8]);
    expect(only.left).toEqual([]);
  });

  it('are shared evenly, also with processes that start later', async () => {
    const { clock, join, shares } = setUp();
    const first = join('a');
    await clock.advance(4_000);
    const second = join('b');
    await clock.advance(4_000);
    expect(shares(first, second)).toEqual([4, 4]);
    expect(first.left).toHaveLength(4);
    const third = join('c');
    await clock.advance(4_000);
    expect(shares(first, second, third).sort()).toEqual([2, 3, 3]);
  });

  it('are shared by two releases with the same declared version only', async () => {
    const { clock, readStore } = setUp();
    const other = UNITS.map((name) => name.replace('p:', 'q:'));
    const older = new Member('a', readStore, clock, [...declared(UNITS), ...declared(other)]);
    const newer = new Member('b', readStore, clock, [...declared(UNITS), ...declared(other, 2)]);
    await clock.advance(4_000);
    const held = (member: Member, name: string) => [...member.projected].filter((unit) => unit.startsWith(name)).length;
    expect([held(older, 'p'), held(newer, 'p')]).toEqual([4, 4]);
    expect([held(older, 'q'), held(newer, 'q')]).toEqual([8, 8]);
  });

  it('are not shared between releases with different declared versions, whichever process starts or ends', async () => {
    const { clock, readStore, join, shares } = setUp();
    const older = [join('a'), join('b')];
    await clock.advance(4_000);
    const newer = new Member('c', readStore, clock, declared(UNITS, 2));
    await clock.advance(4_000);
    expect(shares(...older)).toEqual([4, 4]);
    expect(shares(newer)).toEqual([8]);
    older[0]!.stop.abort();
    await clock.advance(4_000);
    expect(shares(older[1]!)).toEqual([8]);
    expect(shares(newer)).toEqual([8]);
    expect(newer.left).toEqual([]);
  });

  it('are taken over at once from a process that shuts down', async () => {
    const { clock, join, shares } = setUp();
    const [first, second] = [join('a'), join('b')];
    await clock.advance(4_000);
    first.stop.abort();
    await settle();
    await clock.advance(1_500);
    expect([...first.projected]).toEqual([]);
    expect(shares(second)).toEqual([8]);
  });

  it('are taken over from a dead process when its leases expire, not before', async () => {
    const { clock, readStore, join, shares } = setUp();
    const dying = new ManualClock();
    const dead = new Member('a', readStore, dying);
    const other = join('b');
    for (let second = 0; second < 4; second += 1) {
      await dying.advance(1_000);
      await clock.advance(1_000);
    }
    expect(shares(dead, other)).toEqual([4, 4]);
    // Its clock stands still, so it renews no lease.
    await clock.advance(UNIT_LEASE_MS - 2_000);
    expect(other.projected.size).toBe(4);
    await clock.advance(4_000);
    expect(other.projected.size).toBe(8);
    // It resumes and assumes for a moment that it still holds its leases.
    await dying.advance(7_000);
    for (let second = 0; second < 4; second += 1) {
      await clock.advance(1_000);
      await dying.advance(1_000);
    }
    expect(shares(dead, other)).toEqual([4, 4]);
  });

  it('keep running where they are while the read store is unavailable, which is logged once', async () => {
    const { clock, readStore, join, shares } = setUp();
    const [first, second] = [join('a'), join('b')];
    await clock.advance(4_000);
    const away = () => Promise.reject(new ReadStoreUnavailableError('away'));
    const lease = readStore.lease.bind(readStore);
    Object.assign(readStore, { lease: away });
    await clock.advance(30_000);
    expect(shares(first, second)).toEqual([4, 4]);
    Object.assign(readStore, { lease });
    await clock.advance(4_000);
    expect(shares(first, second)).toEqual([4, 4]);
    const warnings = first.logger.records.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ message }) => message)).toEqual(['leases cannot be renewed: the read store is unavailable']);
  });

  it('report why one of them does not run', async () => {
    const { join } = setUp();
    const only = join('a');
    await settle();
    const { check } = only.shared.readinessCheck();
    expect(check()).toBeNull();
    only.trouble = 'p failed (Error) and will be run again';
    expect(check()).toContain(only.trouble);
  });
});

it('a projector that was frozen beyond its lease writes nothing, and leaves the work to the new holder', async () => {
  const [eventStore, readStore] = [new MemoryEventStore(), new MemoryReadStore()];
  const [frozenClock, clock] = [new ManualClock(), new ManualClock()];
  const random = new SeededRandom();
  const handling = new CommandHandling({ eventStore, clock, random, proofs: new SpecProofs() });
  const pay = (number: number) => {
    const paymentId = `pay_${String(number).padStart(26, '0')}`;
    const context = { correlationId: 'r', causationId: null, actor: 'spec' };
    return handling.handle(paymentDecider, paymentStreamId(paymentId), create({ paymentId }), context);
  };
  const outcomes: string[] = [];
  let thaw: () => void = () => undefined;
  const thawed = new Promise<void>((resolve) => (thaw = resolve));
  let isFrozen = false;
  /** The same store; it holds back commits until the frozen process wakes. */
  const lateCommit = async (commit: ProjectionCommit) => {
    if (isFrozen) await thawed;
    const outcome = await readStore.commit(commit);
    outcomes.push(outcome);
    return outcome;
  };
  const frozenStore = new Proxy(readStore, {
    get: (store, name: keyof MemoryReadStore) => {
      if (name === 'commit') return lateCommit;
      const member = store[name];
      return typeof member === 'function' ? member.bind(store) : member;
    },
  });
  const memberOn = (owner: string, store: MemoryReadStore, itsClock: ManualClock) => {
    const logger = new RecordingLogger();
    const progress = new ProjectionProgress();
    const base = { eventStore, readStore: store, clock: itsClock, logger, metrics: new Metrics(), random };
    const member: Member = new Member(owner, store, itsClock, declared(['processing']), () => {
      const supervisor = new Supervisor(base);
      const worker = new ProjectorWorker(processingProjection, {
        ...base,
        progress,
        damaged: new RecordingFindings().damaged,
        skipped: noneSkipped,
      });
      supervisor.start([worker]);
      return supervisor;
    });
    return member;
  };
  const frozen = memberOn('a', frozenStore, frozenClock);
  await settle();
  await pay(1);
  await settle();
  expect(outcomes).toEqual(['committed']);

  isFrozen = true;
  await pay(2);
  await settle();
  const other = memberOn('b', readStore, clock);
  await clock.advance(UNIT_LEASE_MS + 2_000);
  expect(other.shared.held).toEqual(['processing']);
  await pay(3);
  await settle();
  const before = await readStore.versions('processing');
  const request = {
    name: paymentsToProcessList,
    list: TO_DO.now,
    direction: 'ascending' as const,
    after: null,
    limit: 9,
  };
  expect(await readStore.page(request)).toHaveLength(3);

  thaw();
  await settle();
  isFrozen = false;
  expect(outcomes).toEqual(['committed', 'fenced']);
  expect(await readStore.versions('processing')).toEqual(before);
  await frozenClock.advance(UNIT_LEASE_MS + 4_000);
  expect([frozen.shared.held, other.shared.held].flat()).toEqual(['processing']);
});
