import { useLedger } from '../support/ledger';
import type { MerchantClient } from '../support/merchant-client';
import { OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted, refundRequest, TIME } from '../support/payments';
import { refusal } from '../support/refusal';

const ledger = useLedger();
let operator: OperatorClient;
let merchant: MerchantClient;

beforeEach(async () => {
  operator = new OperatorClient(ledger.service);
  merchant = await operator.register('Shop');
});

const path = (rest: string, merchantId = merchant.credentials.merchantId) => `/merchants/${merchantId}${rest}`;

describe('the settings of a merchant', () => {
  it('change as far as they are named, and are answered whole', async () => {
    const { merchantId } = merchant.credentials;
    const fixed = [
      { value: '0.3', currency: 'EUR' },
      { value: '30', currency: 'JPY' },
    ];
    const first = await operator.send('PATCH', path(''), { feeSchedule: { basisPoints: 290, fixed } });
    const settings = {
      merchantId,
      name: 'Shop',
      status: 'ACTIVE',
      registeredAt: expect.stringMatching(TIME),
      suspendedAt: null,
      suspensionReason: null,
      requireSignatures: false,
      rotationGraceSeconds: 86_400,
      feeSchedule: {
        basisPoints: 290,
        fixed: [
          { value: '0.30', currency: 'EUR' },
          { value: '30', currency: 'JPY' },
        ],
      },
    };
    expect(bodyOf(first, 200)).toEqual(settings);
    const second = await operator.send('PATCH', path(''), { requireSignatures: true, rotationGraceSeconds: 60 });
    expect(bodyOf(second, 200)).toEqual({ ...settings, requireSignatures: true, rotationGraceSeconds: 60 });
    expect(bodyOf(await operator.send('PATCH', path(''), {}), 200)).toEqual(second.body);
  });

  it('are read as they are, without anything that opens a door', async () => {
    const changed = bodyOf(await operator.send('PATCH', path(''), { rotationGraceSeconds: 61 }), 200);
    const read = await operator.send('GET', path(''));
    expect(bodyOf(read, 200)).toEqual(changed);
    expect(JSON.stringify(read.body)).not.toMatch(/cft_|cfs_|whsec_|[Ss]ecret|[Tt]oken/);
    expect(refusal(await operator.send('GET', path('', 'nobody')))).toEqual([404, 'MERCHANT_NOT_FOUND', []]);
  });

  it('can demand that every write is signed, at once', async () => {
    const { paymentId } = await createCompleted(merchant);
    bodyOf(await operator.send('PATCH', path(''), { requireSignatures: true }), 200);
    const unsigned = await merchant.refund(paymentId, refundRequest('1.00'));
    expect(refusal(unsigned)).toEqual([401, 'SIGNATURE_INVALID', []]);
    const refunds = `/api/v2/payments/${paymentId}/refunds`;
    const signed = await merchant.send('POST', refunds, refundRequest('1.00'), { key: 'r1' }, true);
    expect(signed.status).toBe(202);
    const redeliver = `/api/v2/webhook-deliveries/whd_${'0'.repeat(26)}/redeliver`;
    expect((await merchant.send('POST', redeliver, undefined, {}, false)).status).toBe(401);
    expect((await merchant.payment(paymentId)).status).toBe(200);
  });

  it('are refused where they say something else', async () => {
    const fees = (...fixed: readonly unknown[]) => ({ feeSchedule: { basisPoints: 0, fixed } });
    const euro = { value: '0.30', currency: 'EUR' };
    const cases: readonly (readonly [unknown, string])[] = [
      [{ requireSignatures: 'yes' }, 'requireSignatures: INVALID_FORMAT'],
      [{ rotationGraceSeconds: -1 }, 'rotationGraceSeconds: INVALID_FORMAT'],
      [{ rotationGraceSeconds: 30 * 86_400 + 1 }, 'rotationGraceSeconds: INVALID_FORMAT'],
      [{ feeSchedule: { basisPoints: 10_001 } }, 'feeSchedule.basisPoints: INVALID_FORMAT'],
      [fees({ value: '0.30', currency: 'XXX' }), 'feeSchedule.fixed[0].currency: CURRENCY_NOT_SUPPORTED'],
      [fees(euro, euro), 'feeSchedule.fixed[1].currency: INVALID_FORMAT'],
      [fees({ value: '0.5', currency: 'JPY' }), 'feeSchedule.fixed[0].value: INVALID_AMOUNT'],
      [{ title: 'Other' }, 'title: UNKNOWN_FIELD'],
    ];
    for (const [body, problem] of cases) {
      expect(refusal(await operator.send('PATCH', path(''), body))).toEqual([400, 'VALIDATION_FAILED', [problem]]);
    }
  });
});
