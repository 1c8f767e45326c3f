import { BodiesInFlight } from './bodies-in-flight';

const MEBIBYTE = 1024 * 1024;

describe('BodiesInFlight', () => {
  it('gives a merchant so much room and no more, and what was freed again', () => {
    const bodies = new BodiesInFlight();
    const free = Array.from({ length: 8 }, () => bodies.tryReserve('m1', MEBIBYTE));
    expect(free.every((one) => one !== null)).toBe(true);
    expect(bodies.tryReserve('m1', 1)).toBeNull();
    free[0]!();
    free[0]!();
    expect(bodies.tryReserve('m1', MEBIBYTE)).not.toBeNull();
    expect(bodies.tryReserve('m1', 1)).toBeNull();
  });

  it('keeps room for others, within what there is for all', () => {
    const bodies = new BodiesInFlight();
    const merchants = Array.from({ length: 12 }, (_, n) => `m${n}`);
    const free = merchants.map((merchantId) => bodies.tryReserve(merchantId, 8 * MEBIBYTE));
    expect(free.filter((one) => one !== null)).toHaveLength(8);
    for (const one of free) one?.();
    expect(bodies.bytes).toBe(0);
  });
});
