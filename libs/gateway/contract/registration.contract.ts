import { CHALLENGED, DAY_MS, GOOD, NO_LIMIT, approved, declined, never } from './driver.contract';
import type { Payment, Suite } from './driver.contract';

/** Registrations and the customer's authentication step. */
export function describeRegistration({ under, payment }: Suite): void {
  describe('registering', () => {
    it('gives a reference, the risk and nothing to do for an ordinary card', async () => {
      const registration = await payment(GOOD).register();
      expect(registration).toMatchObject({ riskLevel: 'LOW', nextAction: null });
      expect(registration.gatewayReference).toMatch(/^gw_[0-9A-HJKMNP-TV-Z]{26}$/);
      expect(Number.isInteger(registration.riskScore)).toBe(true);
    });

    it('gives the same bytes again, also when asked at the same time', async () => {
      const ours = payment(CHALLENGED);
      const answers = await Promise.all(Array.from({ length: 8 }, () => ours.register()));
      answers.push(await ours.register());
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    });

    it('makes another one of another fingerprint or another payment', async () => {
      const ours = payment(GOOD);
      const references = await Promise.all([
        ours.register(),
        under().gateway.register(ours.request({ fingerprint: 'fingerprint-2' }), NO_LIMIT),
        payment(GOOD).register(),
      ]);
      expect(new Set(references.map(({ gatewayReference }) => gatewayReference)).size).toBe(3);
    });

    it('lapses after seven days', async () => {
      const [early, late] = [payment(GOOD), payment(GOOD)];
      await Promise.all([early.register(), late.register()]);
      under().advance(7 * DAY_MS - 1);
      expect(await early.authorize()).toEqual(approved);
      under().advance(1);
      expect(await late.authorize()).toEqual(declined('PROCESSING_ERROR', '12'));
      expect(await late.totals()).toMatchObject({ authorizations: never });
    });

    it('declines what was never registered, and voids it as nothing', async () => {
      const request = {
        ...(await payment(GOOD).transaction('none')),
        gatewayReference: 'gw_00000000000000000000000000',
      };
      const send = (kind: 'authorize' | 'capture' | 'refund' | 'void') =>
        under().gateway[kind]({ ...request, reference: `${request.reference}_${kind}` }, NO_LIMIT);
      expect(await send('authorize')).toEqual(declined('PROCESSING_ERROR', '12'));
      expect(await send('capture')).toEqual(declined('CAPTURE_REFUSED', '12'));
      expect(await send('refund')).toEqual(declined('PROCESSING_ERROR', '12'));
      expect(await send('void')).toEqual(approved);
    });
  });

  describe('the customer’s step', () => {
    const state = async (ours: Payment) =>
      under().gateway.challengeState((await ours.register()).gatewayReference, NO_LIMIT);

    it('has two addresses with a 256-bit token each', async () => {
      const { nextAction } = await payment(CHALLENGED).register();
      expect(nextAction?.type).toBe('3DS_AUTHENTICATION');
      const page = /\/sandbox\/3ds\/(\d+\.[A-Za-z0-9_-]{43})$/.exec(nextAction?.redirectUrl ?? '');
      const form = /\/sandbox\/3ds\/(\d+\.[A-Za-z0-9_-]{43})\/form$/.exec(nextAction?.fallbackUrl ?? '');
      expect(page?.[1]).toBeDefined();
      expect(form?.[1]).toBeDefined();
      expect(page?.[1]).not.toBe(form?.[1]);
    });

    it.each([
      ['approve', 'succeeded', 'decline', approved],
      ['decline', 'failed', 'approve', declined('CARD_DECLINED', '1A')],
    ] as const)('%s ends it as %s, and a later %s changes nothing', async (first, ended, second, outcome) => {
      const ours = payment(CHALLENGED);
      expect(await state(ours)).toBe('pending');
      await ours.answer(first);
      expect(await state(ours)).toBe(ended);
      await ours.answer(second);
      expect(await state(ours)).toBe(ended);
      under().advance(DAY_MS);
      expect(await state(ours)).toBe(ended);
      expect(await ours.authorize()).toEqual(outcome);
    });

    it('expires with its time, and takes no answer from then on', async () => {
      const ours = payment(CHALLENGED);
      await ours.register();
      under().advance(30 * 60 * 1000 - 1);
      expect(await state(ours)).toBe('pending');
      under().advance(1);
      expect(await state(ours)).toBe('expired');
      await ours.answer('approve');
      expect(await state(ours)).toBe('expired');
      expect(await ours.authorize()).toEqual(declined('CARD_DECLINED', '1A'));
    });

    it('lasts as long as the latest registration says, and never less than an earlier one said', async () => {
      const ours = payment(CHALLENGED);
      const registerUntil = (expiresAtMs: number) => under().gateway.register(ours.request({ expiresAtMs }), NO_LIMIT);
      const first = await ours.register();
      under().advance(DAY_MS);
      expect(await state(ours)).toBe('expired');
      const end = under().nowMs() + 30 * 60 * 1000;
      expect(await registerUntil(end)).toEqual(first);
      await registerUntil(end - 60_000);
      under().advance(30 * 60 * 1000 - 1);
      expect(await state(ours)).toBe('pending');
      under().advance(1);
      expect(await state(ours)).toBe('expired');
      await registerUntil(end + 60_000);
      await ours.answer('approve');
      expect(await ours.authorize()).toEqual(approved);
    });

    it('is not begun anew by a registration after its answer', async () => {
      const ours = payment(CHALLENGED);
      await ours.answer('decline');
      await under().gateway.register(ours.request({ expiresAtMs: ours.expiresAtMs + DAY_MS }), NO_LIMIT);
      await ours.answer('approve');
      expect(await state(ours)).toBe('failed');
    });

    it('ends with a void, so that nothing is authorized behind the merchant’s back', async () => {
      const ours = payment(CHALLENGED);
      expect(await ours.void()).toEqual(approved);
      await ours.answer('approve');
      expect(await state(ours)).toBe('expired');
      expect(await ours.authorize()).toEqual(declined('PROCESSING_ERROR', '12'));
    });

    it('must be done before the authorization', async () => {
      const ours = payment(CHALLENGED);
      expect(await ours.authorize()).toEqual(declined('CARD_DECLINED', '1A'));
    });

    it('is over where none was asked, and can never succeed where nothing is registered', async () => {
      expect(await state(payment(GOOD))).toBe('succeeded');
      expect(await under().gateway.challengeState('gw_00000000000000000000000000', NO_LIMIT)).toBe('expired');
    });
  });
}
