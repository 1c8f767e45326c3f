import { given } from '@app/event-sourcing/testing/given-when-then';
import { type FeeSchedule, merchantDecider, type MerchantEvent, NO_FEES } from './';

const merchantId = 'mer_1';
const encrypted = { keyId: 'master', iv: 'aXY=', ciphertext: 's1', tag: 'dGFn' };
const settings = { requireSignatures: false, rotationGraceSeconds: 86_400 };
const history: readonly MerchantEvent[] = [
  {
    type: 'MerchantRegistered',
    data: {
      merchantId,
      name: 'Shop',
      signingSecret: encrypted,
      webhookSecret: encrypted,
      ...settings,
      feeSchedule: NO_FEES,
    },
  },
];
const changed = (requireSignatures: boolean, feeSchedule: FeeSchedule): MerchantEvent => ({
  type: 'MerchantSettingsChanged',
  data: { merchantId, ...settings, requireSignatures, feeSchedule },
});

describe('a fee schedule', () => {
  it('charges nothing until it is set', () => {
    expect(given(merchantDecider, ...history).state!.settings.feeSchedule).toEqual(NO_FEES);
  });

  it('is set, and stays when something else changes', () => {
    const feeSchedule: FeeSchedule = { basisPoints: 290, fixedMinor: [['EUR', '25']] };
    given(merchantDecider, ...history)
      .when({ type: 'ChangeMerchantSettings', changes: { feeSchedule } })
      .thenEvents(changed(false, feeSchedule));
    const priced = given(merchantDecider, ...history, changed(false, feeSchedule));
    expect(priced.state!.settings.feeSchedule).toEqual(feeSchedule);
    priced
      .when({ type: 'ChangeMerchantSettings', changes: { requireSignatures: true } })
      .thenEvents(changed(true, feeSchedule));
    priced.when({ type: 'ChangeMerchantSettings', changes: { feeSchedule } }).thenNothing();
    priced
      .when({ type: 'ChangeMerchantSettings', changes: { feeSchedule: NO_FEES } })
      .thenEvents(changed(false, NO_FEES));
  });

  it('is recorded in one way, however it was written', () => {
    const fixedMinor = [
      ['USD', '30'],
      ['JPY', '0'],
      ['EUR', '25'],
    ] as const;
    const change = {
      type: 'ChangeMerchantSettings',
      changes: { feeSchedule: { basisPoints: 1, fixedMinor } },
    } as const;
    const sorted = [fixedMinor[2], fixedMinor[0]];
    const recorded = changed(false, { fixedMinor: sorted, basisPoints: 1 });
    given(merchantDecider, ...history)
      .when(change)
      .thenEvents(recorded);
    given(merchantDecider, ...history, recorded)
      .when(change)
      .thenNothing();
  });

  it.each<[string, FeeSchedule]>([
    ['a negative share', { basisPoints: -1, fixedMinor: [] }],
    ['a broken share', { basisPoints: 0.5, fixedMinor: [] }],
    ['a share of more than the whole', { basisPoints: 10_001, fixedMinor: [] }],
    ['an unknown currency', { basisPoints: 0, fixedMinor: [['XXX', '1']] }],
    ['a currency in small letters', { basisPoints: 0, fixedMinor: [['eur', '1']] }],
    ['a negative part', { basisPoints: 0, fixedMinor: [['EUR', '-1']] }],
    ['a part with decimals', { basisPoints: 0, fixedMinor: [['EUR', '0.25']] }],
    ['a part without digits', { basisPoints: 0, fixedMinor: [['EUR', '']] }],
    ['a part with leading zeros', { basisPoints: 0, fixedMinor: [['EUR', '025']] }],
    ['a part above any amount', { basisPoints: 0, fixedMinor: [['EUR', '1'.repeat(17)]] }],
    [
      'a currency twice',
      {
        basisPoints: 0,
        fixedMinor: [
          ['EUR', '1'],
          ['EUR', '0'],
        ],
      },
    ],
  ])('is refused with %s', (_what, feeSchedule) => {
    given(merchantDecider, ...history)
      .when({ type: 'ChangeMerchantSettings', changes: { feeSchedule } })
      .thenRejected('FEE_SCHEDULE_INVALID');
  });
});
