import { isPaymentId, paymentIdOfRefund } from '@app/payments/domain';
import * as fc from 'fast-check';
import { paymentIdOf, refundIdOf, transactionIdOf, transactionIdsOf } from './ids';

const PAYMENT_ID = paymentIdOf('m_1', 'key-1');
const texts = fc.string({ minLength: 1, maxLength: 20 });

describe('ids that are derived', () => {
  it('never change: a retry years later has to find its payment', () => {
    expect(PAYMENT_ID).toBe('pay_SYNF503SF6DV11MA89B7RTJW48');
    expect(refundIdOf(PAYMENT_ID, 'm_1', 'key-1')).toBe('ref_SYNF503SF6DV11MA89B7RTJW48ZDS3HK1ZG1CQDG7Y');
    expect(transactionIdsOf(PAYMENT_ID)).toEqual({
      authorization: 'txn_P598V3WX31JKDF3VDZ9EDMNKJ4',
      capture: 'txn_99R9ACK29T7785C0HR1B30CD5P',
      void: 'txn_6V63RYYWEKGNFN59ZJQ6RXWTHS',
    });
  });

  it('have the forms that the contract names', () => {
    fc.assert(
      fc.property(texts, texts, (merchantId, key) => {
        const paymentId = paymentIdOf(merchantId, key);
        expect(isPaymentId(paymentId)).toBe(true);
        expect(paymentIdOfRefund(refundIdOf(paymentId, merchantId, key))).toBe(paymentId);
        expect(transactionIdOf(paymentId, 'void')).toMatch(/^txn_[0-9A-HJKMNP-TV-Z]{26}$/);
      }),
    );
  });

  it('are the same for the same merchant and key, and for no other', () => {
    fc.assert(
      fc.property(texts, texts, texts, texts, (merchant, key, otherMerchant, otherKey) => {
        const same = merchant === otherMerchant && key === otherKey;
        expect(paymentIdOf(merchant, key) === paymentIdOf(otherMerchant, otherKey)).toBe(same);
        const paymentId = paymentIdOf(merchant, key);
        const sameRefund = refundIdOf(paymentId, merchant, key) === refundIdOf(paymentId, otherMerchant, otherKey);
        expect(sameRefund).toBe(same);
      }),
    );
  });

  it('keep merchant and key apart, however they are cut', () => {
    fc.assert(
      fc.property(texts, texts, texts, (a, b, c) => {
        expect(paymentIdOf(a + b, c)).not.toBe(paymentIdOf(a, b + c));
      }),
    );
    expect(paymentIdOf('m', '14:create-payment,')).not.toBe(paymentIdOf('m,14:create-payment', ''));
  });

  it('tell operations, payments and acts apart', () => {
    const other = paymentIdOf('m_1', 'key-2');
    const ids = [
      ...Object.values(transactionIdsOf(PAYMENT_ID)),
      ...Object.values(transactionIdsOf(other)),
      transactionIdOf(PAYMENT_ID, 'refund'),
      transactionIdOf(refundIdOf(PAYMENT_ID, 'm_1', 'key-1'), 'refund'),
      transactionIdOf(refundIdOf(PAYMENT_ID, 'm_1', 'key-2'), 'refund'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(refundIdOf(other, 'm_1', 'key-1').slice(-16)).not.toBe(refundIdOf(PAYMENT_ID, 'm_1', 'key-1').slice(-16));
  });
});
