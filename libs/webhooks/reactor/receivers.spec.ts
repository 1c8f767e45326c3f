import { receiverGroup } from '@app/webhooks/domain';
import { FairQueue, type Slot, type QueuedItem } from '@app/event-sourcing';
import { ATTEMPT_LIMITS, type AttemptOutcome, Receivers } from './receivers';

const group = (merchant: number | string, receiver: number) =>
  receiverGroup(`m_${merchant}`, `https://r${receiver}.example/`);
const ofHost = (host: number, path: number) => `m_1|https://r${host}.example|${path}`;
const groups = (count: number, merchant: (i: number) => number | string, from = 0) =>
  Array.from({ length: count }, (_, i) => group(merchant(i), from + i));

/** Due webhooks, and attempts that last until the spec ends them. */
class Desk {
  readonly receivers = new Receivers();
  private readonly queue = new FairQueue<QueuedItem>(this.receivers);
  readonly under = new Map<string, Slot[]>();
  private keys = 0;

  due(names: readonly string[], each = 5): void {
    for (let i = 0; i < each; i += 1) {
      for (const name of names) this.queue.push({ key: `k${(this.keys += 1)}`, group: name, dueAtMs: this.keys });
    }
  }

  /** Starts everything that may start, and returns the receivers, one entry per attempt. */
  startAll(): string[] {
    const started: string[] = [];
    for (let next = this.queue.next(); next !== null; next = this.queue.next()) {
      const { group: name } = next.item;
      this.under.set(name, [...(this.under.get(name) ?? []), next.slot]);
      started.push(name);
    }
    return started;
  }

  end(name: string, outcome: AttemptOutcome | 'aborted'): void {
    this.under.get(name)?.shift()?.leave();
    if (outcome !== 'aborted') this.receivers.tried(name, outcome);
  }

  know(names: readonly string[], outcome: AttemptOutcome): void {
    for (const name of names) this.receivers.tried(name, outcome);
  }
}

const count = (started: readonly string[], names: readonly string[]) =>
  started.filter((name) => names.includes(name)).length;

describe('attempts under way', () => {
  it('are 64 at most', () => {
    const desk = new Desk();
    const names = groups(100, (i) => i);
    desk.know(names, 'success');
    desk.due(names);
    const started = desk.startAll();
    expect(started).toHaveLength(64);
    expect(desk.startAll()).toEqual([]);
    desk.end(started[0]!, 'success');
    expect(desk.startAll()).toHaveLength(1);
  });

  it('are 4 of a receiver, and no more than are due', () => {
    const desk = new Desk();
    desk.due([group(1, 1)], 10);
    desk.due([group(1, 2)], 2);
    const started = desk.startAll();
    expect([count(started, [group(1, 1)]), count(started, [group(1, 2)])]).toEqual([4, 2]);
  });

  it('drop to one of a receiver that timed out, through other failures, until a success', () => {
    const desk = new Desk();
    const name = group(1, 1);
    desk.know([name], 'timeout');
    desk.due([name], 20);
    for (const outcome of ['aborted', 'failure', 'failure'] as const) {
      expect(desk.startAll()).toHaveLength(1);
      desk.end(name, outcome);
    }
    expect(desk.startAll()).toHaveLength(1);
    desk.end(name, 'success');
    expect(desk.startAll()).toHaveLength(4);
  });

  it('are 8 of one host, of which receivers that timed out share 4, one each', () => {
    const desk = new Desk();
    const slow = Array.from({ length: 10 }, (_, path) => ofHost(1, path));
    const healthy = [ofHost(1, 20), ofHost(1, 21)];
    desk.know(healthy, 'success');
    desk.know(slow, 'timeout');
    desk.due(slow, 20);
    const started = desk.startAll();
    expect([started.length, new Set(started).size]).toEqual([4, 4]);
    desk.due(healthy, 20);
    const more = desk.startAll();
    expect([more.length, count(more, healthy)]).toEqual([4, 4]);
    desk.due([ofHost(2, 0)], 1);
    expect(desk.startAll()).toEqual([ofHost(2, 0)]);
    desk.end(started[0]!, 'success');
    expect(desk.startAll()).toHaveLength(1);
  });

  it('are counted by host for as long as they last, however many hosts there are', () => {
    const receivers = new Receivers();
    const pools = () => receivers.poolsOf(ofHost(0, 0));
    const taken = pools();
    for (const pool of taken) pool.take('m_1');
    for (let host = 1; host <= 3 * ATTEMPT_LIMITS.remembered; host += 1) receivers.poolsOf(ofHost(host, 0));
    expect(pools().every((pool, index) => pool === taken[index])).toBe(true);
  });

  it('are 16 of all failing receivers, and healthy ones get the rest', () => {
    const desk = new Desk();
    const [failing, healthy] = [groups(40, (i) => i), groups(40, (i) => i, 100)];
    desk.know(failing, 'failure');
    desk.know(healthy, 'success');
    desk.due([...failing, ...healthy]);
    const started = desk.startAll();
    expect([started.length, count(started, failing)]).toEqual([64, 16]);
  });

  it('are told of a bounded number of receivers', () => {
    const desk = new Desk();
    desk.know(
      groups(ATTEMPT_LIMITS.remembered + 1, (i) => i),
      'timeout',
    );
    desk.due([group(0, 0), group(5_000, 5_000)]);
    const started = desk.startAll();
    expect([count(started, [group(0, 0)]), count(started, [group(5_000, 5_000)])]).toEqual([4, 1]);
  });
});

describe('fairness', () => {
  it('leaves the next merchant a share at once, however much the first has to send', () => {
    const desk = new Desk();
    const [many, few] = [groups(1_000, () => 'many'), groups(20, () => 'few')];
    desk.know([...many, ...few, group('late', 1)], 'success');
    desk.due(many, 1);
    expect(desk.startAll()).toHaveLength(48);
    desk.due(few, 1);
    expect(desk.startAll()).toEqual(few.slice(0, 12));
    desk.due([group('late', 1)]);
    expect(desk.startAll()).toHaveLength(3);
  });

  it('gives two merchants with much to send the same', () => {
    const desk = new Desk();
    const [many, few] = [groups(1_000, () => 'many'), groups(20, () => 'few')];
    desk.know([...many, ...few], 'success');
    desk.due(many, 1);
    desk.due(few, 4);
    const started = desk.startAll();
    expect([count(started, many), count(started, few)]).toEqual([28, 27]);
  });

  it('lets one merchant try 16 of its receivers that may all be dead, and leaves others theirs', () => {
    const desk = new Desk();
    desk.due(
      groups(150, () => 'dead'),
      1,
    );
    expect(desk.startAll()).toHaveLength(16);
    const failing = groups(20, () => 'failing');
    desk.know(failing, 'failure');
    desk.due(failing, 1);
    expect(desk.startAll()).toHaveLength(8);
    desk.due([group('newcomer', 1)]);
    expect(desk.startAll()).toHaveLength(4);
    const healthy = groups(40, () => 'healthy');
    desk.know(healthy, 'success');
    desk.due(healthy, 1);
    expect(desk.startAll()).toHaveLength(27);
  });

  it('keeps half of the slots for receivers that work, however many merchants have only dead ones', () => {
    const desk = new Desk();
    desk.due(
      groups(3_000, (i) => `dead${i % 100}`),
      1,
    );
    expect(desk.startAll()).toHaveLength(32);
    desk.know([group('works', 1)], 'success');
    desk.due([group('works', 1)]);
    expect(desk.startAll()).toEqual(Array(4).fill(group('works', 1)));
  });
});
