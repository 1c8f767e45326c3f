import { given, SPEC_START_MS } from '@app/event-sourcing/testing/given-when-then';
import { isoTime } from '@app/event-sourcing';
import { merchantDecider, type MerchantEvent, NO_FEES, SCOPES } from './';

const merchantId = 'mer_1';
const encrypted = (ciphertext: string) => ({ keyId: 'master', iv: 'aXY=', ciphertext, tag: 'dGFn' });
const token = (number: number) => ({
  tokenId: `tok_${number}`,
  tokenHash: `hash-${number}`,
  scopes: SCOPES,
  expiresAt: null,
});
const issued = (number: number, name?: string): MerchantEvent => ({
  type: 'AccessTokenIssued',
  data: { merchantId, ...token(number), ...(name === undefined ? {} : { name }) },
});
const settings = { requireSignatures: false, rotationGraceSeconds: 86_400, feeSchedule: NO_FEES };
const secrets = { signingSecret: encrypted('s1'), webhookSecret: encrypted('w1') };
const history: readonly MerchantEvent[] = [
  { type: 'MerchantRegistered', data: { merchantId, name: 'Shop', ...secrets, ...settings } },
  issued(1),
];
const now = isoTime(SPEC_START_MS);

describe('a name', () => {
  const renamed: MerchantEvent = { type: 'MerchantRenamed', data: { merchantId, name: 'Shop & Sons' } };
  const rename = { type: 'ChangeMerchantSettings', changes: {}, name: 'Shop & Sons' } as const;

  it('changes once, together with settings or without', () => {
    given(merchantDecider, ...history)
      .when(rename)
      .thenEvents(renamed);
    given(merchantDecider, ...history, renamed)
      .when(rename)
      .thenNothing();
    const changed = { merchantId, ...settings, requireSignatures: true };
    given(merchantDecider, ...history)
      .when({ ...rename, changes: { requireSignatures: true } })
      .thenEvents(renamed, { type: 'MerchantSettingsChanged', data: changed });
    expect(given(merchantDecider, ...history, renamed).state!.name).toBe('Shop & Sons');
  });

  it('that is refused with its settings does not change', () => {
    given(merchantDecider, ...history)
      .when({ ...rename, changes: { rotationGraceSeconds: -1 } })
      .thenRejected('ROTATION_GRACE_OUT_OF_RANGE');
  });
});

describe('a suspension', () => {
  const suspended = (reason: string | null): MerchantEvent => ({
    type: 'MerchantSuspended',
    data: { merchantId, reason },
  });
  const reinstated: MerchantEvent = { type: 'MerchantReinstated', data: { merchantId, reason: null } };
  const suspend = { type: 'SuspendMerchant', reason: 'fraud' } as const;
  const reinstate = { type: 'ReinstateMerchant', reason: null } as const;

  it('lasts until the merchant is reinstated, and keeps its first reason', () => {
    const active = given(merchantDecider, ...history);
    active.when(suspend).thenEvents(suspended('fraud'));
    active.when(reinstate).thenNothing();
    const held = given(merchantDecider, ...history, suspended('fraud'), suspended('again'));
    held.when({ ...suspend, reason: 'another' }).thenNothing();
    held.when(reinstate).thenEvents(reinstated);
    expect(held.state!.suspension).toMatchObject({ reason: 'fraud' });
    const back = given(merchantDecider, ...history, suspended('fraud'), reinstated);
    expect(back.state!.suspension).toBeNull();
    back.when(suspend).thenEvents(suspended('fraud'));
  });

  it('changes nothing else: tokens are issued and revoked meanwhile', () => {
    const held = given(merchantDecider, ...history, suspended(null));
    held.when({ type: 'IssueAccessToken', token: token(2), now }).thenEvents(issued(2));
    held.when({ type: 'RevokeAccessToken', tokenId: 'tok_1' }).thenEvents({
      type: 'AccessTokenRevoked',
      data: { merchantId, tokenId: 'tok_1' },
    });
  });

  it.each(['SuspendMerchant', 'ReinstateMerchant'] as const)('%s is for a merchant that there is', (type) => {
    given(merchantDecider).when({ type, reason: null }).thenRejected('MERCHANT_NOT_FOUND');
  });
});

it('a token is known by the name that it was given, if any', () => {
  given(merchantDecider, ...history)
    .when({ type: 'IssueAccessToken', token: { ...token(2), name: 'till-3' }, now })
    .thenEvents(issued(2, 'till-3'));
  const { state } = given(merchantDecider, ...history, issued(2, 'till-3'));
  expect(Object.values(state!.tokens).map(({ name }) => name)).toEqual([null, 'till-3']);
});
