import { isoTime } from '@app/event-sourcing';
import { given, SPEC_START_MS } from '@app/event-sourcing/testing/given-when-then';
import {
  merchantDecider,
  type MerchantEvent,
  type MerchantRegistered,
  type MerchantSecretsResealed,
  NO_FEES,
  type ReplacedSecret,
} from './';

const merchantId = 'mer_1';
const encrypted = (ciphertext: string) => ({ keyId: 'master', iv: 'aXY=', ciphertext, tag: 'dGFn' });
const at = (ms: number) => isoTime(SPEC_START_MS + ms);
const registered: MerchantRegistered = {
  type: 'MerchantRegistered',
  data: {
    merchantId,
    name: 'Shop',
    signingSecret: encrypted('s1'),
    webhookSecret: encrypted('w1'),
    requireSignatures: false,
    rotationGraceSeconds: 86_400,
    feeSchedule: NO_FEES,
  },
};
const history: readonly MerchantEvent[] = [registered];

describe('secrets under a new master key', () => {
  const under = (keyId: string, ciphertext: string) => ({ ...encrypted(ciphertext), keyId });
  const pair = (ciphertext: string) => ({ from: encrypted(ciphertext), to: under('next', ciphertext) });
  const rotated: MerchantEvent = {
    type: 'SigningSecretRotated',
    data: { merchantId, signingSecret: encrypted('s2'), graceEndsAt: at(10_000) },
  };
  const reencrypt = (...ciphertexts: readonly string[]) =>
    ({ type: 'ReencryptMerchantSecrets', reencrypted: ciphertexts.map(pair), now: at(5_000) }) as const;
  const reencrypted = (change: Partial<MerchantSecretsResealed['data']> = {}): MerchantSecretsResealed => ({
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

  it('are re-encrypted together', () => {
    given(merchantDecider, ...history)
      .when(reencrypt('s1', 'w1'))
      .thenEvents(reencrypted());
  });

  it('are re-encrypted with the one that was replaced, which keeps its grace', () => {
    given(merchantDecider, ...history, rotated)
      .when(reencrypt('s1', 's2', 'w1'))
      .thenEvents(reencrypted(bothLive));
    const { state } = given(merchantDecider, ...history, rotated, reencrypted(bothLive));
    expect(state!.signingSecret).toEqual({
      current: under('next', 's2'),
      previous: [{ secret: under('next', 's1'), graceEndsAt: at(10_000) }],
      requests: [],
    });
    expect(state!.webhookSecret).toEqual({ current: under('next', 'w1'), previous: [], requests: [] });
  });

  it('leave a replaced one out whose grace is over', () => {
    given(merchantDecider, ...history, rotated)
      .when({ ...reencrypt('s1', 's2', 'w1'), now: at(10_000) })
      .thenEvents(reencrypted({ signingSecret: under('next', 's2') }));
    const { state } = given(merchantDecider, ...history, rotated, reencrypted({ signingSecret: under('next', 's2') }));
    expect(state!.signingSecret.previous).toEqual([]);
  });

  it('are re-encrypted once, whoever else does it at the same time', () => {
    given(merchantDecider, ...history, reencrypted())
      .when(reencrypt('s1', 'w1'))
      .thenNothing();
    given(merchantDecider, ...history)
      .when(reencrypt())
      .thenNothing();
  });

  it('stay as they are where they were rotated meanwhile', () => {
    given(merchantDecider, ...history, rotated)
      .when(reencrypt('s1', 'w1'))
      .thenEvents(reencrypted({ signingSecret: encrypted('s2'), ...replaced(under('next', 's1')) }));
  });

  it('are re-encrypted with all that were replaced and still hold', () => {
    const again: MerchantEvent = {
      type: 'SigningSecretRotated',
      data: { merchantId, signingSecret: encrypted('s3'), graceEndsAt: at(20_000) },
    };
    const previousSigningSecrets = [
      { secret: under('next', 's1'), graceEndsAt: at(10_000) },
      { secret: under('next', 's2'), graceEndsAt: at(20_000) },
    ];
    const all = { previousSigningSecrets, previousSigningSecret: under('next', 's2') };
    given(merchantDecider, ...history, rotated, again)
      .when(reencrypt('s1', 's2', 's3', 'w1'))
      .thenEvents(reencrypted({ signingSecret: under('next', 's3'), ...all }));
  });

  it('are read where an older release, which knew of the latest replaced one alone, has encrypted them', () => {
    const { previousSigningSecrets: _all, previousWebhookSecrets: _none, ...older } = reencrypted(bothLive).data;
    const { state } = given(merchantDecider, ...history, rotated, { type: 'MerchantSecretsResealed', data: older });
    const replacedOne = { secret: under('next', 's1'), graceEndsAt: at(10_000) };
    expect(state!.signingSecret).toEqual({ current: under('next', 's2'), previous: [replacedOne], requests: [] });
    const unrotated = given(merchantDecider, ...history, { type: 'MerchantSecretsResealed', data: older });
    expect(unrotated.state!.signingSecret.previous).toEqual([]);
  });
});
