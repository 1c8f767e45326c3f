import { RecentEvents } from './recent-events';

interface Sized {
  readonly position: bigint;
  readonly bytes: number;
}

const MIB = 1024 * 1024;
const everything = () => true;
const at = (...positions: bigint[]): Sized[] => positions.map((position) => ({ position, bytes: 10 }));
const open = (maxEvents: number, since?: bigint) => new RecentEvents<Sized>(maxEvents, ({ bytes }) => bytes, since);
const positionsIn = (page: { readonly events: readonly Sized[] } | null) =>
  page?.events.map(({ position }) => position);

describe('the latest events of a log', () => {
  it('are found after any position, even one without an event', () => {
    const recent = open(10, 100n);
    recent.add(at(110n, 120n, 130n));
    for (const [after, found] of [
      [100n, [110n, 120n, 130n]],
      [109n, [110n, 120n, 130n]],
      [110n, [120n, 130n]],
      [125n, [130n]],
      [130n, []],
      [999n, []],
    ] as const) {
      const page = recent.pageAfter(after, everything, 10);
      expect(positionsIn(page)).toEqual(found);
      expect(page).toMatchObject({ isLast: true, position: after > 130n ? after : 130n });
    }
  });

  it('start at the given position, and are not available before it', () => {
    const recent = open(10, 100n);
    expect(recent.pageAfter(100n, everything, 10)).toEqual({ events: [], position: 100n, isLast: true });
    expect(recent.pageAfter(99n, everything, 10)).toBeNull();
    const other = open(10);
    expect(other.pageAfter(100n, everything, 10)).toBeNull();
    other.add(at(101n));
    expect(positionsIn(other.pageAfter(100n, everything, 10))).toEqual([101n]);
    expect(other.reaches(99n)).toBe(false);
  });

  it('drop their older half when there are too many', () => {
    const recent = open(4, 0n);
    recent.add(at(10n, 20n, 30n, 40n, 50n));
    expect([10n, 19n, 20n].map((position) => recent.reaches(position))).toEqual([false, false, true]);
    expect(positionsIn(recent.pageAfter(20n, everything, 10))).toEqual([30n, 40n, 50n]);
  });

  it('are dropped when they are too large, even a single one', () => {
    const recent = open(100, 0n);
    recent.add([1n, 2n, 3n].map((position) => ({ position, bytes: 7 * MIB })));
    expect([0n, 1n].map((position) => recent.reaches(position))).toEqual([false, true]);
    recent.add([{ position: 4n, bytes: 17 * MIB }]);
    expect([3n, 4n].map((position) => recent.reaches(position))).toEqual([false, true]);
  });

  it('come in pages of limited number and size', () => {
    const recent = open(100, 0n);
    recent.add(at(1n, 2n, 3n, 4n));
    const odd = ({ position }: Sized) => position % 2n === 1n;
    expect(recent.pageAfter(0n, odd, 1)).toMatchObject({ events: at(1n), position: 1n, isLast: false });
    expect(recent.pageAfter(1n, odd, 1)).toMatchObject({ events: at(3n), position: 3n, isLast: false });
    expect(recent.pageAfter(3n, odd, 1)).toEqual({ events: [], position: 4n, isLast: true });
    recent.add([5n, 6n].map((position) => ({ position, bytes: 5 * MIB })));
    expect(recent.pageAfter(4n, everything, 10)).toMatchObject({ position: 5n, isLast: false });
  });

  it('are gone once forgotten', () => {
    const recent = open(10, 0n);
    recent.add(at(1n));
    recent.forget();
    expect(recent.pageAfter(1n, everything, 10)).toBeNull();
    recent.add(at(7n, 8n));
    expect(positionsIn(recent.pageAfter(6n, everything, 10))).toEqual([7n, 8n]);
  });
});
