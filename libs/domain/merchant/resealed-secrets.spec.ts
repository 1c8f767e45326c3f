import { isoTime } from '@app/kernel';
import { given, SPEC_START_MS } from '@app/kernel/testing/given-when-then';
import {
  merchantDecider,
  type MerchantEvent,
  type MerchantRegistered,
  type MerchantSecretsResealed,
  NO_FEES,
  type ReplacedSecret,
} from '.';

const merchantId = 'mer_1';
const sealed = (ciphertext: string) => ({ keyId: 'master', iv: 'aXY=', ciphertext, tag: 'dGFn' });
const at = (ms: number) => isoTime(SPEC_START_MS + ms);
const registered: MerchantRegistered = {
  type: 'MerchantRegistered',
  data: {
    merchantId,
    name: 'Shop',
    signingSecret: sealed('s1'),
    webhookSecret: sealed('w1'),
    requireSignatures: false,
    rotationGraceSeconds: 86_400,
    feeSchedule: NO_FEES,
  },
};
const history: readonly MerchantEvent[] = [registered];

describe('secrets under a new master key', () => {
  const under = (keyId: string, ciphertext: string) => ({ ...sealed(ciphertext), keyId });
  const pair = (ciphertext: string) => ({ from: sealed(ciphertext), to: under('next', ciphertext) });
  const rotated: MerchantEvent = {
    type: 'SigningSecretRotated',
    data: { merchantId, signingSecret: sealed('s2'), graceEndsAt: at(10_000) },
  };
  const reseal = (...ciphertexts: readonly string[]) =>
    ({ type: 'ResealMerchantSecrets', resealed: ciphertexts.map(pair), now: at(5_000) }) as const;
  const resealed = (change: Partial<MerchantSecretsResealed['data']> = {}): MerchantSecretsResealed => ({
    type: 'MerchantSecretsResealed',
    data: {
      merchantId,
      signingSecret: under('next', 's1'),
      previousSigningSecret: null,
      previousSigningSecrets: [],
      webhookSecret: under('next', 'w1'),
      previousWebhookSecret: null,
      previousWebhookSecrets: [],
      ...change,
    },
  });
  const replaced = (secret: ReplacedSecret['secret']) => ({
    previousSigningSecret: secret,
    previousSigningSecrets: [{ secret, graceEndsAt: at(10_000) }],
  });
  const bothLive = { signingSecret: under('next', 's2'), ...replaced(under('next', 's1')) };

  it('are sealed anew together', () => {
    given(merchantDecider, ...history)
      .when(reseal('s1', 'w1'))
      .thenEvents(resealed());
  });

  it('are sealed anew with the one that was replaced, which keeps its grace', () => {
    given(merchantDecider, ...history, rotated)
      .when(reseal('s1', 's2', 'w1'))
      .thenEvents(resealed(bothLive));
    const { state } = given(merchantDecider, ...history, rotated, resealed(bothLive));
    expect(state!.signingSecret).toEqual({
      current: under('next', 's2'),
      previous: [{ secret: under('next', 's1'), graceEndsAt: at(10_000) }],
      requests: [],
    });
    expect(state!.webhookSecret).toEqual({ current: under('next', 'w1'), previous: [], requests: [] });
  });

  it('leave a replaced one out whose grace is over', () => {
    given(merchantDecider, ...history, rotated)
      .when({ ...reseal('s1', 's2', 'w1'), now: at(10_000) })
      .thenEvents(resealed({ signingSecret: under('next', 's2') }));
    const { state } = given(merchantDecider, ...history, rotated, resealed({ signingSecret: under('next', 's2') }));
    expect(state!.signingSecret.previous).toEqual([]);
  });

  it('are sealed anew once, whoever else does it at the same time', () => {
    given(merchantDecider, ...history, resealed())
      .when(reseal('s1', 'w1'))
      .thenNothing();
    given(merchantDecider, ...history)
      .when(reseal())
      .thenNothing();
  });

  it('stay as they are where they were rotated meanwhile', () => {
    given(merchantDecider, ...history, rotated)
      .when(reseal('s1', 'w1'))
      .thenEvents(resealed({ signingSecret: sealed('s2'), ...replaced(under('next', 's1')) }));
  });

  it('are sealed anew with all that were replaced and still hold', () => {
    const again: MerchantEvent = {
      type: 'SigningSecretRotated',
      data: { merchantId, signingSecret: sealed('s3'), graceEndsAt: at(20_000) },
    };
    const previousSigningSecrets = [
      { secret: under('next', 's1'), graceEndsAt: at(10_000) },
      { secret: under('next', 's2'), graceEndsAt: at(20_000) },
    ];
    const all = { previousSigningSecrets, previousSigningSecret: under('next', 's2') };
    given(merchantDecider, ...history, rotated, again)
      .when(reseal('s1', 's2', 's3', 'w1'))
      .thenEvents(resealed({ signingSecret: under('next', 's3'), ...all }));
  });

  it('are read where an older release, which knew of the latest replaced one alone, has sealed them', () => {
    const { previousSigningSecrets: _all, previousWebhookSecrets: _none, ...older } = resealed(bothLive).data;
    const { state } = given(merchantDecider, ...history, rotated, { type: 'MerchantSecretsResealed', data: older });
    const replacedOne = { secret: under('next', 's1'), graceEndsAt: at(10_000) };
    expect(state!.signingSecret).toEqual({ current: under('next', 's2'), previous: [replacedOne], requests: [] });
    const unrotated = given(merchantDecider, ...history, { type: 'MerchantSecretsResealed', data: older });
    expect(unrotated.state!.signingSecret.previous).toEqual([]);
  });
});
