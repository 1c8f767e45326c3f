import { GatewayReferenceReusedError } from '../errors';
import { GatewayOutcomeUnknownError } from '../port';
import { AMOUNT_MINOR, CHALLENGED, DAY_MS, EUR, GOOD, JPY, NO_LIMIT, approved, never, once } from './driver.contract';
import type { Suite } from './driver.contract';

/** Nothing happens twice, whatever gets lost. */
export function describeCertainty({ under, payment }: Suite): void {
  describe('references', () => {
    it('act once, however often and however concurrently they are sent', async () => {
      const ours = payment(GOOD);
      const request = await ours.transaction('auth');
      const outcomes = await Promise.all(
        Array.from({ length: 25 }, () => under().gateway.authorize(request, NO_LIMIT)),
      );
      outcomes.push(await ours.authorize(), (await ours.inquire('auth')) as (typeof outcomes)[number]);
      for (const outcome of outcomes) expect(outcome).toEqual(approved);
      await Promise.all(Array.from({ length: 25 }, () => ours.capture()));
      await Promise.all(Array.from({ length: 25 }, () => ours.refund(500n)));
      expect(await ours.totals()).toMatchObject({
        authorizations: once(AMOUNT_MINOR),
        captures: once(AMOUNT_MINOR),
        refunds: once(500n),
      });
    });

    it('keep a decline for ever', async () => {
      const ours = payment('4000000000009995');
      const first = await ours.authorize();
      under().advance(8 * DAY_MS);
      expect(await ours.authorize()).toEqual(first);
      expect(await ours.inquire('auth')).toEqual(first);
    });

    it('are refused for other content, and the first transaction stands', async () => {
      const ours = payment(GOOD);
      const request = await ours.transaction('auth');
      await ours.authorize();
      const other = await payment(GOOD).register();
      const reused = [
        under().gateway.authorize({ ...request, amount: { amountMinor: 1n, currency: EUR } }, NO_LIMIT),
        under().gateway.authorize({ ...request, amount: { ...request.amount, currency: JPY } }, NO_LIMIT),
        under().gateway.authorize({ ...request, gatewayReference: other.gatewayReference }, NO_LIMIT),
        under().gateway.capture(request, NO_LIMIT),
      ];
      for (const call of reused) await expect(call).rejects.toThrow(GatewayReferenceReusedError);
      expect(await ours.inquire('auth')).toEqual(approved);
      expect(await ours.totals()).toMatchObject({ authorizations: once(AMOUNT_MINOR), captures: never });
    });

    it('that were never sent are not found', async () => {
      expect(await payment(GOOD).inquire('auth')).toEqual({ kind: 'not-found' });
    });
  });

  describe('lost answers', () => {
    it.each([
      ['authorize', '4000000000000341', 'authorizations'],
      ['capture', '4000000000008815', 'captures'],
      ['refund', '4000000000008823', 'refunds'],
    ] as const)('%s with %s: carried out, told only to whoever asks', async (kind, card, total) => {
      const ours = payment(card);
      if (kind !== 'authorize') await ours.authorize();
      if (kind === 'refund') await ours.capture();
      const request = await ours.transaction('lost');
      const limit = new AbortController();
      let settled = false;
      const call = under()
        .gateway[kind](request, limit.signal)
        .finally(() => {
          settled = true;
        });
      const lost = expect(call).rejects.toThrow(GatewayOutcomeUnknownError);
      while ((await ours.inquire('lost')).kind === 'not-found') continue;
      expect(await ours.inquire('lost')).toEqual(approved);
      expect(settled).toBe(false);
      limit.abort();
      await lost;
      expect(await under().gateway[kind](request, NO_LIMIT)).toEqual(approved);
      expect((await ours.totals())[total]).toEqual(once(AMOUNT_MINOR));
    });

    it('an aborted call has an unknown outcome, and sending it again gives the one outcome', async () => {
      const ours = payment(GOOD);
      const request = await ours.transaction('auth');
      await expect(under().gateway.authorize(request, AbortSignal.abort())).rejects.toThrow(GatewayOutcomeUnknownError);
      const limit = new AbortController();
      const call = under().gateway.authorize(request, limit.signal);
      limit.abort();
      await expect(call).rejects.toThrow(GatewayOutcomeUnknownError);
      expect(await ours.authorize()).toEqual(approved);
      await expect(ours.register()).resolves.toBeDefined();
      await expect(under().gateway.register(ours.request(), AbortSignal.abort())).rejects.toThrow(
        GatewayOutcomeUnknownError,
      );
      expect((await ours.totals()).authorizations).toEqual(once(AMOUNT_MINOR));
    });
  });

  it('knows everything again after a restart', async () => {
    const [challenged, complete, pending] = [payment(CHALLENGED), payment(GOOD), payment('4000000000007726')];
    const registration = await challenged.register();
    await challenged.answer('approve');
    await complete.authorize();
    const capture = await complete.capture(1000n);
    for (const step of ['authorize', 'capture', 'refund'] as const) await pending[step]();
    const disputed = payment('4000000000000259');
    for (const step of ['authorize', 'capture'] as const) await disputed[step]();

    const gateway = await under().restart();
    expect(JSON.stringify(await challenged.register(gateway))).toBe(JSON.stringify(registration));
    expect(await gateway.challengeState(registration.gatewayReference, NO_LIMIT)).toBe('succeeded');
    expect(await complete.inquire('capture', gateway)).toEqual(capture);
    expect(await pending.inquire('refund', gateway)).toEqual({ kind: 'pending' });
    under().advance(10_000);
    expect(await pending.inquire('refund', gateway)).toEqual(approved);
    expect((await complete.totals()).captures).toEqual(once(1000n));
    const { gatewayReference } = await disputed.register(gateway);
    const [dispute] = await gateway.disputesOf(gatewayReference, NO_LIMIT);
    expect(dispute).toMatchObject({ paymentId: disputed.id, status: 'OPEN' });
    for (let cursor: string | null = null; ;) {
      const page = await gateway.disputeChanges(cursor, NO_LIMIT);
      ({ cursor } = page);
      if (page.hasMore) continue;
      expect(page.disputes.at(-1)).toEqual(dispute);
      return;
    }
  });
}
