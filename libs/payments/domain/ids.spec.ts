import { isPaymentId, paymentIdOfRefund, paymentIdOfStream, paymentStreamId, publicEventId } from './ids';

const ID = '0123456789ABCDEFGHJKMNPQRS';

describe('identifiers', () => {
  it('are told by their form', () => {
    expect(isPaymentId(`pay_${ID}`)).toBe(true);
    expect(paymentIdOfStream(paymentStreamId(`pay_${ID}`))).toBe(`pay_${ID}`);
    for (const wrong of [
      ID,
      `ref_${ID}`,
      `pay_${ID}0`,
      `pay_${ID.slice(1)}`,
      `pay_${ID.toLowerCase()}`,
      `pay_${ID}\n`,
      '',
    ]) {
      expect(isPaymentId(wrong)).toBe(false);
    }
    // Crockford's alphabet has no I, L, O and U.
    for (const letter of 'ILOU') expect(isPaymentId(`pay_${letter}${ID.slice(1)}`)).toBe(false);
  });

  it('of payments name their streams', () => {
    expect(paymentStreamId(`pay_${ID}`)).toBe(`payment-${ID}`);
  });

  it('of refunds tell their payment', () => {
    expect(paymentIdOfRefund(`ref_${ID}0123456789ABCDEF`)).toBe(`pay_${ID}`);
    for (const wrong of [
      `ref_${ID}`,
      `pay_${ID}0123456789ABCDEF`,
      `ref_${ID}0123456789ABCDEF0`,
      `ref_${ID}0123456789abcdef`,
    ]) {
      expect(paymentIdOfRefund(wrong)).toBeNull();
    }
  });

  it('of public events are the stored ids, written shorter', () => {
    expect(publicEventId('00000000-0000-4000-8000-000000000003')).toBe('evt_00000000008008000000000003');
    expect(publicEventId('ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe('evt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ');
  });
});
