import fc from 'fast-check';
import { receiverGroup } from '@app/domain/webhook-delivery';
import type { AttemptOutcome } from './admission';
import { Admission, ADMISSION_LIMITS } from './admission';

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
  expect(admission.load).toEqual({ inFlight: 0, failingInFlight: 0 });
});

describe('bounds', () => {
  it('64 in all', () => {
    const admission = new Admission();
    const due = Array.from({ length: 100 }, (_, i) => ({ group: group(i, i) }));
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
    const started = startAll(admission, [...failing, ...healthy]);
    expect(started).toHaveLength(64);
    expect(started.filter((name) => failing.some((receiver) => receiver.group === name))).toHaveLength(16);
    expect(admission.load).toEqual({ inFlight: 64, failingInFlight: 16 });
  });

  it('what a receiver has under way counts as failing from its failure on, and no more from its success on', () => {
    const admission = new Admission();
    startAll(admission, [{ group: group(1, 1) }]);
    admission.finished(group(1, 1), 'failure');
    expect(admission.load).toEqual({ inFlight: 3, failingInFlight: 3 });
    admission.finished(group(1, 1), 'success');
    expect(admission.load).toEqual({ inFlight: 2, failingInFlight: 0 });
  });

  it('an abandoned attempt teaches nothing', () => {
    const admission = new Admission();
    attempt(admission, group(1, 1), 'timeout');
    expect(admission.tryStart(group(1, 1))).toBe(true);
    admission.abandoned(group(1, 1));
    expect(admission.load).toEqual({ inFlight: 0, failingInFlight: 0 });
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
    expect(admission.load).toEqual({ inFlight: 0, failingInFlight: 0 });
  });
});

describe('fairness', () => {
  it('a merchant with a thousand receivers leaves half to another', () => {
    const admission = new Admission();
    const many = Array.from({ length: 1_000 }, (_, i) => ({ group: group('many', i) }));
    const few = Array.from({ length: 20 }, (_, i) => ({ group: group('few', i) }));
    const started = startAll(admission, [...many, ...few]);
    expect(started.filter((name) => name.startsWith('m_few|'))).toHaveLength(32);
  });

  it('a latecomer gets the very next free place, though the first merchant holds them all', () => {
    const admission = new Admission();
    const many = Array.from({ length: 1_000 }, (_, i) => ({ group: group('many', i) }));
    const started = startAll(admission, many);
    expect(started).toHaveLength(64);
    admission.finished(started[0]!, 'success');
    expect(startAll(admission, [...many, { group: group('late', 1) }])).toEqual([group('late', 1)]);
  });

  it("spreads a merchant's places over its receivers", () => {
    const admission = new Admission();
    const started = startAll(
      admission,
      Array.from({ length: 64 }, (_, i) => ({ group: group(1, i) })),
    );
    expect(new Set(started).size).toBe(64);
  });

  it('everyone gets a turn: with one place free at a time, it goes round', () => {
    const admission = new Admission();
    const blockers = Array.from({ length: 63 }, (_, i) => ({ group: group(`blocker${i}`, 0), due: 1 }));
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
  readonly failing = new Set<string>();
  readonly timedOut = new Set<string>();

  total(of: (name: string) => boolean = () => true): number {
    return [...this.inFlight].reduce((sum, [name, count]) => sum + (of(name) ? count : 0), 0);
  }

  mayStart(name: string): boolean {
    if (this.total() >= 64 || (this.inFlight.get(name) ?? 0) >= (this.timedOut.has(name) ? 1 : 4)) return false;
    return !this.failing.has(name) || this.total((other) => this.failing.has(other)) < 16;
  }

  start(name: string): void {
    this.inFlight.set(name, (this.inFlight.get(name) ?? 0) + 1);
  }

  finish(name: string, outcome: AttemptOutcome): void {
    this.inFlight.set(name, this.inFlight.get(name)! - 1);
    if (outcome === 'success') {
      this.failing.delete(name);
      this.timedOut.delete(name);
    } else this.failing.add(name);
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
          for (const { group: name, slots } of admission.choose(next.due.map((due) => ({ group: due })))) {
            expect(next.due).toContain(name);
            for (let i = 0; i < slots; i += 1) {
              expect(model.mayStart(name)).toBe(true);
              start(name);
            }
          }
          for (const name of next.due) expect(model.mayStart(name)).toBe(false);
        } else if (next.kind === 'start') {
          if (model.mayStart(next.name)) start(next.name);
          else expect(admission.tryStart(next.name)).toBe(false);
        } else if (underWay.length > 0) {
          const [name] = underWay.splice(next.which % underWay.length, 1);
          admission.finished(name!, next.outcome);
          model.finish(name!, next.outcome);
        }
        expect(admission.load).toEqual({
          inFlight: model.total(),
          failingInFlight: model.total((name) => model.failing.has(name)),
        });
      }
    }),
    { numRuns: 200 },
  );
});
