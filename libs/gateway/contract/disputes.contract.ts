import type { DisputeChanges, GatewayDispute } from '../port';
import { DAY_MS, GOOD, NO_LIMIT } from './driver.contract';
import type { Payment, Suite } from './driver.contract';

const DISPUTED = '4000000000000259';
const [WON, LOST, HALF, TWICE, OPEN] = [10_01n, 10_02n, 10_03n, 10_04n, 10_05n] as const;
/** A dispute is opened a second after the capture, and decided three seconds later where the amount says so. */
const [OPENS_MS, DECIDED_MS] = [1_000, 3_000] as const;

/** Disputes of captured payments, one by one and as a list of changes. */
export function describeDisputes({ under, payment }: Suite): void {
  const captured = async (amountMinor: bigint, card = DISPUTED): Promise<Payment> => {
    const ours = payment(card);
    await ours.authorize();
    await ours.capture(amountMinor);
    return ours;
  };
  const disputesOf = async (ours: Payment) => {
    const { gatewayReference } = await ours.register();
    return under().gateway.disputesOf(gatewayReference, NO_LIMIT);
  };
  /** All changes after the cursor, page by page. */
  const changesAfter = async (cursor: string | null) => {
    const disputes: GatewayDispute[] = [];
    let page: DisputeChanges = { disputes: [], cursor, hasMore: true };
    while (page.hasMore) {
      page = await under().gateway.disputeChanges(page.cursor, NO_LIMIT);
      disputes.push(...page.disputes);
    }
    return { disputes, cursor: page.cursor };
  };
  const short = (disputes: readonly GatewayDispute[]) =>
    disputes.map(({ paymentId, status, amount }) => `${paymentId} ${status} ${amount.amountMinor}`);

  describe('disputes', () => {
    it('are opened soon after the capture, with what was withdrawn and charged', async () => {
      const ours = await captured(OPEN);
      const { gatewayReference } = await ours.register();
      under().advance(OPENS_MS - 1);
      expect(await disputesOf(ours)).toEqual([]);
      under().advance(1);
      const opened = {
        disputeReference: expect.stringMatching(/^[A-Za-z0-9._~-]{1,128}$/),
        gatewayReference,
        paymentId: ours.id,
        status: 'OPEN',
        amount: { amountMinor: OPEN, currency: 'EUR' },
        feeMinor: 15_00n,
        reason: 'PRODUCT_NOT_RECEIVED',
        evidenceDueAtMs: under().nowMs() + 7 * DAY_MS,
      };
      expect(await disputesOf(ours)).toEqual([opened]);
    });

    it.each([
      ['won', WON, ['WON 1001']],
      ['lost', LOST, ['LOST 1002']],
      ['of half the amount, and open', HALF, ['OPEN 502']],
      ['won, and followed by another one that is lost', TWICE, ['WON 1004', 'LOST 1004']],
      ['open', OPEN, ['OPEN 1005']],
    ] as const)('are %s by the last digit of the amount', async (_how, amountMinor, expected) => {
      const ours = await captured(amountMinor);
      under().advance(OPENS_MS + 3 * DECIDED_MS);
      expect(short(await disputesOf(ours))).toEqual(expected.map((text) => `${ours.id} ${text}`));
    });

    it('are lost when nobody has sent evidence in time', async () => {
      const ours = await captured(OPEN);
      under().advance(OPENS_MS + 7 * DAY_MS);
      expect(short(await disputesOf(ours))).toEqual([`${ours.id} LOST ${OPEN}`]);
    });

    it('are of payments with that card alone, once they are captured', async () => {
      const held = payment(DISPUTED);
      await held.authorize();
      const good = await captured(OPEN, GOOD);
      under().advance(DAY_MS);
      expect([...(await disputesOf(held)), ...(await disputesOf(good))]).toEqual([]);
      expect(await under().gateway.disputesOf('gw_unknown', NO_LIMIT)).toEqual([]);
    });
  });

  describe('the list of dispute changes', () => {
    it('tells each change once, in order, and goes on at its cursor', async () => {
      under().advance(8 * DAY_MS);
      const { cursor } = await changesAfter(null);
      const [first, second] = [await captured(WON), await captured(LOST)];
      expect(await changesAfter(cursor)).toEqual({ disputes: [], cursor });
      under().advance(OPENS_MS);
      const opened = await changesAfter(cursor);
      expect(short(opened.disputes)).toEqual([`${first.id} OPEN ${WON}`, `${second.id} OPEN ${LOST}`]);
      under().advance(DECIDED_MS);
      const decided = await changesAfter(opened.cursor);
      expect(short(decided.disputes)).toEqual([`${first.id} WON ${WON}`, `${second.id} LOST ${LOST}`]);
      // Whoever forgets where they were finds the same again.
      const again = await changesAfter(cursor);
      expect(again).toEqual({ disputes: [...opened.disputes, ...decided.disputes], cursor: decided.cursor });
    });

    it('comes in pages of which none leaves anything out', async () => {
      const { cursor } = await changesAfter(null);
      const all: Payment[] = [];
      for (let nth = 0; nth < 60; nth += 1) all.push(await captured(OPEN));
      under().advance(OPENS_MS);
      const page = await under().gateway.disputeChanges(cursor, NO_LIMIT);
      expect([page.disputes.length < 60, page.hasMore]).toEqual([true, true]);
      expect((await changesAfter(cursor)).disputes.map(({ paymentId }) => paymentId)).toEqual(all.map(({ id }) => id));
    });

    it('begins with the first change for a cursor of another gateway', async () => {
      const everything = await changesAfter(null);
      expect(everything.disputes.length).toBeGreaterThan(0);
      expect(await changesAfter('1.not-ours')).toEqual(everything);
      expect(await changesAfter('unknown')).toEqual(everything);
    });
  });
}
