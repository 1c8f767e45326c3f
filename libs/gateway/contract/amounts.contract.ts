import type { Currency } from '@app/money';

import { AMOUNT_MINOR, EUR, GOOD, JPY, NO_LIMIT, approved, declined, never, once } from './driver.contract';
import type { Suite } from './driver.contract';

/** Limits on the amounts of captures, voids and refunds, and their order. */
export function describeAmounts({ under, payment }: Suite): void {
  describe('amounts and order', () => {
    const wholly = async () => {
      const ours = payment(GOOD);
      await ours.authorize();
      await ours.capture();
      return ours;
    };

    it('authorizes once, up to the registered amount and in its currency', async () => {
      const ours = payment(GOOD);
      const request = await ours.transaction('other');
      const send = (reference: string, amountMinor: bigint, currency = EUR) =>
        under().gateway.authorize({ ...request, reference, amount: { amountMinor, currency } }, NO_LIMIT);
      expect(await ours.authorize()).toEqual(approved);
      expect(await send(`${ours.id}_second`, AMOUNT_MINOR)).toEqual(declined('PROCESSING_ERROR', '94'));
      for (const [amountMinor, currency] of [
        [AMOUNT_MINOR + 1n, EUR],
        [0n, EUR],
        [-1n, EUR],
        [5n, JPY],
      ] as const) {
        const { gatewayReference } = await payment(GOOD).register();
        const wrong = {
          reference: `wrong_${gatewayReference}`,
          gatewayReference,
          amount: { amountMinor, currency },
        };
        expect(await under().gateway.authorize(wrong, NO_LIMIT)).toEqual(declined('PROCESSING_ERROR', '13'));
      }
    });

    it('captures once, at most what was authorized', async () => {
      const ours = payment(GOOD);
      expect(await ours.capture(1n, 'early')).toEqual(declined('CAPTURE_REFUSED', '12'));
      await ours.authorize();
      expect(await ours.capture(AMOUNT_MINOR + 1n, 'more')).toEqual(declined('CAPTURE_REFUSED', '13'));
      expect(await ours.capture(0n, 'none')).toEqual(declined('CAPTURE_REFUSED', '13'));
      expect(await ours.capture(1000n)).toEqual(approved);
      expect(await ours.capture(250n, 'rest')).toEqual(declined('CAPTURE_REFUSED', '94'));
      expect((await ours.totals()).captures).toEqual(once(1000n));
    });

    it('takes amounts beyond what a float can hold', async () => {
      const amount = { amountMinor: 9_999_999_999_999_999n, currency: 'CLF' as Currency };
      const ours = payment(GOOD);
      const { gatewayReference } = await under().gateway.register(
        ours.request({ amount, fingerprint: 'big' }),
        NO_LIMIT,
      );
      const request = { reference: `${ours.id}_big`, gatewayReference, amount };
      expect(await under().gateway.authorize(request, NO_LIMIT)).toEqual(approved);
      expect((await ours.totals()).authorizations).toEqual(once(amount.amountMinor));
    });

    it('releases with a void, after which nothing is captured', async () => {
      const ours = payment(GOOD);
      await ours.authorize();
      expect(await ours.void()).toEqual(approved);
      expect(await ours.capture()).toEqual(declined('CAPTURE_REFUSED', '12'));
    });

    it('declines a void after the capture', async () => {
      const ours = await wholly();
      expect(await ours.void()).toEqual(declined('PROCESSING_ERROR', '21'));
      expect((await ours.totals()).voids).toEqual(never);
    });

    it('refunds in parts, never more than was captured', async () => {
      const ours = payment(GOOD);
      await ours.authorize();
      expect(await ours.refund(1n, 'early')).toEqual(declined('PROCESSING_ERROR', '12'));
      await ours.capture(1000n);
      expect(await ours.refund(1001n, 'more')).toEqual(declined('PROCESSING_ERROR', '13'));
      expect(await ours.refund(400n, 'part_1')).toEqual(approved);
      expect(await ours.refund(601n, 'part_2')).toEqual(declined('PROCESSING_ERROR', '13'));
      expect(await ours.refund(600n, 'part_3')).toEqual(approved);
      expect(await ours.refund(1n, 'part_4')).toEqual(declined('PROCESSING_ERROR', '13'));
    });

    it('lets concurrent refunds through only as far as the captured amount goes', async () => {
      const ours = await wholly();
      const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => ours.refund(125n, `part_${index}`)));
      expect(outcomes.filter(({ kind }) => kind === 'approved')).toHaveLength(10);
      expect((await ours.totals()).refunds).toEqual({ count: 10, amountMinor: AMOUNT_MINOR });
    });

    it('gives either the capture or the void, when both come at once', async () => {
      const ours = payment(GOOD);
      await ours.authorize();
      const outcomes = await Promise.all([ours.capture(), ours.void()]);
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['approved', 'declined']);
    });
  });
}
