import { AMOUNT_MINOR, CHALLENGED, GOOD, approved, declined, never, once } from './driver.contract';
import type { Suite } from './driver.contract';

/** The behaviour of each test card. */
export function describeCards({ under, payment }: Suite): void {
  describe('the table of cards', () => {
    it.each([GOOD, '4242424242424242', '5555555555554444', '378282246310005', '6011000990139424'])(
      '%s completes',
      async (card) => {
        const ours = payment(card);
        expect(await ours.register()).toMatchObject({ riskLevel: 'LOW', nextAction: null });
        expect(await ours.authorize()).toEqual(approved);
        expect(await ours.capture()).toEqual(approved);
        expect(await ours.refund()).toEqual(approved);
        const amount = once(AMOUNT_MINOR);
        expect(await ours.totals()).toEqual({
          authorizations: amount,
          captures: amount,
          voids: never,
          refunds: amount,
        });
      },
    );

    it.each([
      ['4000000000000002', 'CARD_DECLINED', '05'],
      ['4000000000009995', 'INSUFFICIENT_FUNDS', '51'],
      ['4000000000009987', 'LOST_CARD', '41'],
      ['4000000000009979', 'STOLEN_CARD', '43'],
      ['4000000000000069', 'EXPIRED_CARD', '54'],
      ['4000000000000127', 'INCORRECT_CVC', 'N7'],
      ['4000000000000119', 'PROCESSING_ERROR', '96'],
      ['4111111111111112', 'CARD_DECLINED', '14'],
    ])('%s is declined with %s', async (card, code, responseCode) => {
      const ours = payment(card);
      expect(await ours.register()).toMatchObject({ riskLevel: 'LOW', nextAction: null });
      expect(await ours.authorize()).toEqual(declined(code, responseCode));
      expect(await ours.capture()).toEqual(declined('CAPTURE_REFUSED', '12'));
      expect(await ours.totals()).toEqual({ authorizations: never, captures: never, voids: never, refunds: never });
    });

    it.each([
      [CHALLENGED, 'LOW', approved],
      ['4000008400001629', 'LOW', declined('CARD_DECLINED', '05')],
      ['4000008260003178', 'LOW', declined('INSUFFICIENT_FUNDS', '51')],
      ['4000000000004954', 'HIGH', approved],
    ])('%s asks for 3DS at risk %s', async (card, riskLevel, outcome) => {
      const ours = payment(card);
      expect(await ours.register()).toMatchObject({ riskLevel, nextAction: { type: '3DS_AUTHENTICATION' } });
      await ours.answer('approve');
      expect(await ours.authorize()).toEqual(outcome);
    });

    it.each([
      ['4000000000009235', 'MEDIUM', approved],
      ['4100000000000019', 'HIGH', declined('RISK_BLOCKED', '59')],
    ])('%s is of risk %s', async (card, riskLevel, outcome) => {
      const ours = payment(card);
      expect(await ours.register()).toMatchObject({ riskLevel, nextAction: null });
      expect(await ours.authorize()).toEqual(outcome);
    });

    it('4000000000008807 is authorized but not captured, and can be voided', async () => {
      const ours = payment('4000000000008807');
      expect(await ours.authorize()).toEqual(approved);
      expect(await ours.capture()).toEqual(declined('CAPTURE_REFUSED', '58'));
      expect(await ours.void()).toEqual(approved);
      const amount = once(AMOUNT_MINOR);
      expect(await ours.totals()).toEqual({
        authorizations: amount,
        captures: never,
        voids: amount,
        refunds: never,
      });
    });

    it('4000000000005126 takes no refund, which leaves the captured amount whole', async () => {
      const ours = payment('4000000000005126');
      await ours.authorize();
      await ours.capture();
      expect(await ours.refund(AMOUNT_MINOR, 'refund_1')).toEqual({
        kind: 'declined',
        code: 'CARD_DECLINED',
        processorResponse: { code: '57', message: 'Refund not permitted to cardholder' },
      });
      expect(await ours.refund(AMOUNT_MINOR, 'refund_2')).toEqual(declined('CARD_DECLINED', '57'));
    });

    it('4000000000007726 refunds after 10 s, and reserves the amount meanwhile', async () => {
      const ours = payment('4000000000007726');
      await ours.authorize();
      await ours.capture();
      expect(await ours.refund(1000n)).toEqual({ kind: 'pending' });
      expect(await ours.refund(251n, 'too_much')).toEqual(declined('PROCESSING_ERROR', '13'));
      under().advance(9_999);
      expect(await ours.inquire('refund')).toEqual({ kind: 'pending' });
      expect(await ours.refund(1000n)).toEqual({ kind: 'pending' });
      under().advance(1);
      expect(await ours.inquire('refund')).toEqual(approved);
      expect(await ours.refund(1000n)).toEqual(approved);
      expect((await ours.totals()).refunds).toEqual(once(1000n));
    });
  });
}
