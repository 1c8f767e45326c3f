import fc from 'fast-check';
import { receiverGroup } from '@app/domain/webhook-delivery';
import type { AttemptOutcome } from './admission';
import { Admission } from './admission';
import { ADMISSION_LIMITS } from './attempt-places';

const group = (merchant: number | string, receiver: number) =>
  receiverGroup(`m_${merchant}`, `https://r${receiver}.example/`);

/** Starts everything that is admitted, and gives the groups, one entry per attempt. */
function startAll(admission: Admission, due: readonly { readonly group: string; readonly due?: number }[]): string[] {
  const started: string[] = [];
  for (const { group: admitted, slots } of admission.choose(due)) {
    for (let i = 0; i < slots; i += 1) {
      expect(admission.tryStart(admitted)).toBe(true);
      started.push(admitted);
    }
  }
  return started;
}

/** Each has got a webhook through. */
function prove(admission: Admission, due: readonly { readonly group: string }[]): void {
  for (const receiver of due) attempt(admission, receiver.group, 'success');
}

/** Starts one attempt and lets it end so. */
function attempt(admission: Admission, receiver: string, outcome: AttemptOutcome): void {
  expect(admission.tryStart(receiver)).toBe(true);
  admission.finished(receiver, outcome);
}

it('takes the merchant from before the first separator, whatever stands in the URL', () => {
  const admission = new Admission();
  const odd = ['m_1|not a URL | at all', 'm_1|', 'm_1', '|https://a.example', ''];
  expect(
    startAll(
      admission,
      odd.map((name) => ({ group: name, due: 1 })),
    ).sort(),
  ).toEqual([...odd].sort());
  for (const name of odd) admission.finished(name, 'success');
  expect(admission.load).toEqual({ inFlight: 0, unprovenInFlight: 0, failingInFlight: 0 });
});

describe('bounds', () => {
  it('64 in all', () => {
    const admission = new Admission();
    const due = Array.from({ length: 100 }, (_, i) => ({ group: group(i, i) }));
    prove(admission, due);
    expect(startAll(admission, due)).toHaveLength(64);
    expect(admission.choose(due)).toEqual([]);
    expect(admission.tryStart(group('late', 1))).toBe(false);
    admission.finished(group(0, 0), 'success');
    expect(admission.choose(due)).toMatchObject([{ slots: 1 }]);
  });

  it('4 per receiver, and no more than are due', () => {
    const admission = new Admission();
    expect(
      admission.choose([{ group: group(1, 1) }, { group: group(1, 2), due: 2 }, { group: group(1, 3), due: 0 }]),
    ).toEqual(
      expect.arrayContaining([
        { group: group(1, 1), slots: 4 },
        { group: group(1, 2), slots: 2 },
      ]),
    );
    expect(startAll(admission, [{ group: group(1, 1) }])).toHaveLength(4);
    expect(admission.tryStart(group(1, 1))).toBe(false);
  });

  it('a receiver that timed out drops to one, through other failures, until a success', () => {
    const admission = new Admission();
    const slow = [{ group: group(1, 1) }];
    attempt(admission, group(1, 1), 'timeout');
    expect(admission.choose(slow)).toMatchObject([{ slots: 1 }]);
    attempt(admission, group(1, 1), 'failure');
    expect(startAll(admission, slow)).toHaveLength(1);
    expect(admission.tryStart(group(1, 1))).toBe(false);
    admission.finished(group(1, 1), 'success');
    expect(admission.choose(slow)).toMatchObject([{ slots: 4 }]);
  });

  it('failing receivers share 16, and healthy ones get all the rest', () => {
    const admission = new Admission();
    const failing = Array.from({ length: 40 }, (_, i) => ({ group: group(i, i) }));
    for (const receiver of failing) attempt(admission, receiver.group, 'failure');
    const healthy = Array.from({ length: 40 }, (_, i) => ({ group: group(i, 100 + i) }));
    prove(admission, healthy);
    const started = startAll(admission, [...failing, ...healthy]);
    expect(started).toHaveLength(64);
    expect(started.filter((name) => failing.some((receiver) => receiver.group === name))).toHaveLength(16);
    expect(admission.load).toEqual({ inFlight: 64, unprovenInFlight: 16, failingInFlight: 16 });
  });

  it('what a receiver has under way counts as failing from its failure on, and no more from its success on', () => {
    const admission = new Admission();
    startAll(admission, [{ group: group(1, 1) }]);
    admission.finished(group(1, 1), 'failure');
    expect(admission.load).toEqual({ inFlight: 3, unprovenInFlight: 3, failingInFlight: 3 });
    admission.finished(group(1, 1), 'success');
    expect(admission.load).toEqual({ inFlight: 2, unprovenInFlight: 0, failingInFlight: 0 });
  });

  it('an abandoned attempt teaches nothing', () => {
    const admission = new Admission();
    attempt(admission, group(1, 1), 'timeout');
    expect(admission.tryStart(group(1, 1))).toBe(true);
    admission.abandoned(group(1, 1));
    expect(admission.load).toEqual({ inFlight: 0, unprovenInFlight: 0, failingInFlight: 0 });
    expect(admission.choose([{ group: group(1, 1) }])).toMatchObject([{ slots: 1 }]);
  });

  it('an end without a start is a bug', () => {
    const admission = new Admission();
    expect(() => {
      admission.finished(group(1, 1), 'success');
    }).toThrow('not started');
  });

  it('remembers a bounded number of receivers, and never forgets one with attempts under way', () => {
    const admission = new Admission();
    const busy = group('busy', 0);
    attempt(admission, busy, 'timeout');
    expect(admission.tryStart(busy)).toBe(true);
    for (let i = 0; i <= ADMISSION_LIMITS.remembered; i += 1) attempt(admission, group(i, 0), 'timeout');
    // Forgotten, so it may have four again; the busy one is still known to have timed out.
    expect(admission.choose([{ group: group(0, 0) }])).toMatchObject([{ slots: 4 }]);
    expect(admission.choose([{ group: group(5_000, 0) }])).toMatchObject([{ slots: 1 }]);
    expect(admission.tryStart(busy)).toBe(false);
    admission.finished(busy, 'success');
    expect(admission.load).toEqual({ inFlight: 0, unprovenInFlight: 0, failingInFlight: 0 });
  });
});

describe('fairness', () => {
  it('one merchant alone has three quarters of all places, and the next one finds a share of the rest at once', () => {
    const admission = new Admission();
    const many = Array.from({ length: 1_000 }, (_, i) => ({ group: group('many', i) }));
    const few = Array.from({ length: 20 }, (_, i) => ({ group: group('few', i) }));
    prove(admission, [...many, ...few]);
    expect(startAll(admission, many)).toHaveLength(48);
    expect(startAll(admission, [...many, ...few])).toEqual(few.slice(0, 12).map(({ group: name }) => name));
    expect(startAll(admission, [{ group: group('late', 1) }])).toHaveLength(3);
  });

  it('two merchants with much to send get the same', () => {
    const admission = new Admission();
    const many = Array.from({ length: 1_000 }, (_, i) => ({ group: group('many', i) }));
    const few = Array.from({ length: 20 }, (_, i) => ({ group: group('few', i) }));
    prove(admission, [...many, ...few]);
    const started = startAll(admission, [...many, ...few]);
    const counts = ['m_many|', 'm_few|'].map((prefix) => started.filter((name) => name.startsWith(prefix)).length);
    expect(counts).toEqual([28, 27]);
  });

  it('receivers that were never tried may all be dead: one merchant has 16 attempts at them, and leaves others theirs', () => {
    const admission = new Admission();
    const dead = Array.from({ length: 150 }, (_, i) => ({ group: group('dead', i) }));
    expect(startAll(admission, dead)).toHaveLength(16);
    const failing = Array.from({ length: 20 }, (_, i) => ({ group: group('failing', i) }));
    for (const receiver of failing) attempt(admission, receiver.group, 'failure');
    expect(startAll(admission, failing)).toHaveLength(8);
    const healthy = Array.from({ length: 40 }, (_, i) => ({ group: group('healthy', i) }));
    const newcomer = [{ group: group('newcomer', 1) }];
    expect(startAll(admission, newcomer)).toHaveLength(4);
    prove(admission, healthy);
    expect(startAll(admission, healthy)).toHaveLength(27);
  });

  it('however many merchants have nothing but dead receivers, half of the places stay for those that work', () => {
    const admission = new Admission();
    const dead = Array.from({ length: 3_000 }, (_, i) => ({ group: group(`dead${i % 100}`, i) }));
    attempt(admission, group('works', 1), 'success');
    expect(startAll(admission, dead)).toHaveLength(32);
    expect(startAll(admission, [...dead, { group: group('works', 1) }])).toEqual(Array(4).fill(group('works', 1)));
  });

  it("spreads a merchant's places over its receivers", () => {
    const admission = new Admission();
    const due = Array.from({ length: 64 }, (_, i) => ({ group: group(1, i) }));
    prove(admission, due);
    const started = startAll(admission, due);
    expect([started.length, new Set(started).size]).toEqual([48, 48]);
  });

  it('everyone gets a turn: with one place free at a time, it goes round', () => {
    const admission = new Admission();
    const blockers = Array.from({ length: 63 }, (_, i) => ({ group: group(`blocker${i}`, 0), due: 1 }));
    prove(admission, blockers);
    expect(startAll(admission, blockers)).toHaveLength(63);
    const due = Array.from({ length: 30 }, (_, i) => ({ group: group(i % 10, i) }));
    const turns: string[] = [];
    for (let i = 0; i < 60; i += 1) {
      const [started] = startAll(admission, due);
      turns.push(started!);
      admission.finished(started!, i % 2 === 0 ? 'success' : 'failure');
    }
    for (const { group: name } of due) expect(turns.filter((turn) => turn === name)).toHaveLength(2);
  });
});

/** The limits again, kept in the plainest way, and compared after every step. */
class Model {
  readonly inFlight = new Map<string, number>();
  readonly proven = new Set<string>();
  readonly failing = new Set<string>();
  readonly timedOut = new Set<string>();

  total(of: (name: string) => boolean = () => true): number {
    return [...this.inFlight].reduce((sum, [name, count]) => sum + (of(name) ? count : 0), 0);
  }

  copy(): Model {
    const copy = new Model();
    for (const [name, count] of this.inFlight) copy.inFlight.set(name, count);
    return copy;
  }

  /** Whether there is a place for it at all. */
  canStart(name: string): boolean {
    return this.isFree(name) && this.pools(name).every(({ places, of }) => this.total(of) < places);
  }

  /** Whether it is its merchant's turn, too. */
  mayStart(name: string): boolean {
    return (
      this.isFree(name) &&
      this.pools(name).every(({ places, share, of }) => this.ofMerchant(name, of) < share * (places - this.total(of)))
    );
  }

  /** Whether its merchant holds no more than was fair with as many places as were free then. */
  holdsFairlyOf(before: Model, name: string): boolean {
    return this.pools(name).every(
      ({ places, share, of }) => this.ofMerchant(name, of) - 1 < share * (places - before.total(of)),
    );
  }

  private isFree(name: string): boolean {
    return (this.inFlight.get(name) ?? 0) < (this.timedOut.has(name) ? 1 : 4);
  }

  private pools(name: string) {
    const all = { places: 64, share: 3, of: (_other: string) => true };
    const unproven = { places: 32, share: 1, of: (other: string) => !this.proven.has(other) };
    const failing = { places: 16, share: 1, of: (other: string) => this.failing.has(other) };
    return [all, ...(this.proven.has(name) ? [] : [unproven]), ...(this.failing.has(name) ? [failing] : [])];
  }

  private ofMerchant(name: string, of: (other: string) => boolean): number {
    const merchant = name.slice(0, name.indexOf('|') + 1);
    return this.total((other) => other.startsWith(merchant) && of(other));
  }

  start(name: string): void {
    this.inFlight.set(name, (this.inFlight.get(name) ?? 0) + 1);
  }

  finish(name: string, outcome: AttemptOutcome): void {
    this.inFlight.set(name, this.inFlight.get(name)! - 1);
    if (outcome === 'success') {
      this.proven.add(name);
      this.failing.delete(name);
      this.timedOut.delete(name);
    } else {
      this.failing.add(name);
      this.proven.delete(name);
    }
    if (outcome === 'timeout') this.timedOut.add(name);
  }
}

it('keeps every bound, and wastes no place, through any history', () => {
  const names = Array.from({ length: 48 }, (_, i) => group(i % 6, i));
  const step = fc.oneof(
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('round' as const), due: fc.subarray(names) }) },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('finish' as const),
        which: fc.nat(),
        outcome: fc.constantFrom<AttemptOutcome>('success', 'failure', 'timeout'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('start' as const), name: fc.constantFrom(...names) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const admission = new Admission();
      const model = new Model();
      const underWay: string[] = [];
      const start = (name: string) => {
        expect(admission.tryStart(name)).toBe(true);
        model.start(name);
        underWay.push(name);
      };
      for (const next of steps) {
        if (next.kind === 'round') {
          const chosen = admission.choose(next.due.map((due) => ({ group: due })));
          expect(next.due).toEqual(expect.arrayContaining(chosen.map(({ group: name }) => name)));
          const before = model.copy();
          for (const { group: name, slots } of chosen) for (let i = 0; i < slots; i += 1) start(name);
          // The last place that each merchant got was fair at some moment of the round, so all the more with the places of its beginning.
          for (const { group: name } of chosen) expect(model.holdsFairlyOf(before, name)).toBe(true);
          for (const name of next.due) expect(model.mayStart(name)).toBe(false);
        } else if (next.kind === 'start') {
          if (model.canStart(next.name)) start(next.name);
          else expect(admission.tryStart(next.name)).toBe(false);
        } else if (underWay.length > 0) {
          const [name] = underWay.splice(next.which % underWay.length, 1);
          admission.finished(name!, next.outcome);
          model.finish(name!, next.outcome);
        }
        expect(admission.load).toEqual({
          inFlight: model.total(),
          unprovenInFlight: model.total((name) => !model.proven.has(name)),
          failingInFlight: model.total((name) => model.failing.has(name)),
        });
      }
    }),
    { numRuns: 200 },
  );
});
