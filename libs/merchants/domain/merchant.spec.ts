import { asStored, given, SPEC_START_MS } from '@app/event-sourcing/testing/given-when-then';
import { isoTime } from '@app/event-sourcing';
import {
  type AccessTokenIssued,
  findToken,
  graceSecrets,
  isLiveToken,
  isMerchantId,
  MAX_LIVE_SECRETS,
  MAX_LIVE_TOKENS,
  MAX_ROTATION_GRACE_SECONDS,
  merchantDecider,
  type MerchantEvent,
  type MerchantRegistered,
  merchantStreamId,
  NO_FEES,
  SCOPES,
} from './';

const merchantId = 'mer_1';
const encrypted = (ciphertext: string) => ({ keyId: 'master', iv: 'aXY=', ciphertext, tag: 'dGFn' });
const token = (number: number) => ({
  tokenId: `tok_${number}`,
  tokenHash: `hash-${number}`,
  scopes: SCOPES,
  expiresAt: null,
});
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
const issued = (number: number, expiresAt: string | null = null): AccessTokenIssued => ({
  type: 'AccessTokenIssued',
  data: { merchantId, ...token(number), expiresAt },
});
const revoked = (number: number): MerchantEvent => ({
  type: 'AccessTokenRevoked',
  data: { merchantId, tokenId: `tok_${number}` },
});
const history: readonly MerchantEvent[] = [registered, issued(1)];

const register = {
  type: 'RegisterMerchant',
  merchantId,
  name: 'Shop',
  signingSecret: encrypted('s1'),
  webhookSecret: encrypted('w1'),
  token: token(1),
} as const;

describe('registering a merchant', () => {
  it('registers it with its first token', () => {
    given(merchantDecider)
      .when(register)
      .thenEvents(...history);
  });

  it('decides nothing when it is repeated, even with secrets that were re-encrypted', () => {
    given(merchantDecider, ...history)
      .when({ ...register, signingSecret: encrypted('other'), token: { ...token(1), tokenId: 'tok_other' } })
      .thenNothing();
  });

  it('is refused when another registration has the id', () => {
    given(merchantDecider, ...history)
      .when({ ...register, token: token(2) })
      .thenRejected('MERCHANT_EXISTS');
  });

  it('is refused without a scope', () => {
    given(merchantDecider)
      .when({ ...register, token: { ...token(1), scopes: [] } })
      .thenRejected('TOKEN_WITHOUT_SCOPES');
  });
});

describe('an access token', () => {
  const issue = { type: 'IssueAccessToken', token: token(2), now: at(0) } as const;

  it('is issued with its scopes once each, in their fixed order', () => {
    const scopes = ['refunds:write', 'payments:write', 'refunds:write'] as const;
    given(merchantDecider, ...history)
      .when({ ...issue, token: { ...token(2), scopes, expiresAt: at(1) } })
      .thenEvents({
        type: 'AccessTokenIssued',
        data: { merchantId, ...token(2), scopes: ['payments:write', 'refunds:write'], expiresAt: at(1) },
      });
  });

  it('is issued once', () => {
    given(merchantDecider, ...history, issued(2))
      .when(issue)
      .thenNothing();
  });

  it.each([
    ['id', { tokenId: 'tok_1' }],
    ['hash', { tokenHash: 'hash-1' }],
  ])('needs an %s of its own', (_what, taken) => {
    given(merchantDecider, ...history)
      .when({ ...issue, token: { ...token(2), ...taken } })
      .thenRejected('TOKEN_EXISTS');
  });

  it('needs a scope', () => {
    given(merchantDecider, ...history)
      .when({ ...issue, token: { ...token(2), scopes: [] } })
      .thenRejected('TOKEN_WITHOUT_SCOPES');
  });

  it('needs an expiry that lies ahead', () => {
    given(merchantDecider, ...history)
      .when({ ...issue, token: { ...token(2), expiresAt: at(0) } })
      .thenRejected('TOKEN_EXPIRY_NOT_IN_FUTURE');
  });

  it('counts against the limit while it is live', () => {
    const others = Array.from({ length: MAX_LIVE_TOKENS - 1 }, (_, index) => issued(100 + index));
    given(merchantDecider, ...history, ...others)
      .when(issue)
      .thenRejected('TOO_MANY_TOKENS');
    given(merchantDecider, ...history, ...others, revoked(100))
      .when(issue)
      .thenEvents(issued(2));
    given(merchantDecider, ...history, ...others.slice(1), issued(100, at(0)))
      .when(issue)
      .thenEvents(issued(2));
  });

  it('is revoked once', () => {
    const revoke = { type: 'RevokeAccessToken', tokenId: 'tok_1' } as const;
    given(merchantDecider, ...history)
      .when(revoke)
      .thenEvents(revoked(1));
    given(merchantDecider, ...history, revoked(1))
      .when(revoke)
      .thenNothing();
  });

  it.each(['tok_9', 'constructor', '__proto__'])('that does not exist (%s) can not be revoked', (tokenId) => {
    given(merchantDecider, ...history)
      .when({ type: 'RevokeAccessToken', tokenId })
      .thenRejected('TOKEN_NOT_FOUND');
  });

  it('is live until it expires or is revoked', () => {
    const { state } = given(merchantDecider, ...history, issued(2, at(10)), issued(3), revoked(3));
    const live = (tokenId: string, now: string) => isLiveToken(findToken(state!, tokenId)!, now);
    expect(live('tok_1', at(1e12))).toBe(true);
    expect([live('tok_2', at(9)), live('tok_2', at(10))]).toEqual([true, false]);
    expect(live('tok_3', at(0))).toBe(false);
  });
});

describe('a rotated secret', () => {
  const rotateSigning = { type: 'RotateSecret', which: 'signing', secret: encrypted('s2'), now: at(0) } as const;
  const rotateWebhook = { type: 'RotateSecret', which: 'webhook', secret: encrypted('w2'), now: at(0) } as const;
  const signingRotated = (ciphertext: string, graceEndsAt: string): MerchantEvent => ({
    type: 'SigningSecretRotated',
    data: { merchantId, signingSecret: encrypted(ciphertext), graceEndsAt },
  });
  const webhookRotated: MerchantEvent = {
    type: 'WebhookSecretRotated',
    data: { merchantId, webhookSecret: encrypted('w2'), graceEndsAt: at(86_400_000) },
  };

  it('leaves the one before it its grace', () => {
    given(merchantDecider, ...history)
      .when(rotateSigning)
      .thenEvents(signingRotated('s2', at(86_400_000)));
    given(merchantDecider, ...history)
      .when(rotateWebhook)
      .thenEvents(webhookRotated);
  });

  it('is rotated once by the same command', () => {
    given(merchantDecider, ...history, signingRotated('s2', at(1)))
      .when(rotateSigning)
      .thenNothing();
    given(merchantDecider, ...history, webhookRotated)
      .when(rotateWebhook)
      .thenNothing();
  });

  it('follows the settings', () => {
    const settings = { merchantId, requireSignatures: false, rotationGraceSeconds: 0, feeSchedule: NO_FEES };
    given(merchantDecider, ...history, { type: 'MerchantSettingsChanged', data: settings })
      .when(rotateSigning)
      .thenEvents(signingRotated('s2', at(0)));
  });

  it('leaves every one before it until its promised time, also after further rotations', () => {
    const rotations = [
      signingRotated('s2', at(10_000)),
      signingRotated('s3', at(20_000)),
      signingRotated('s4', at(5_000)),
    ];
    const { state } = given(merchantDecider, ...history, ...rotations);
    const held = (ms: number) => graceSecrets(state!.signingSecret, at(ms)).map(({ secret }) => secret.ciphertext);
    expect(state!.signingSecret.current).toEqual(encrypted('s4'));
    expect([4_999, 5_000, 9_999, 10_000, 20_000].map(held)).toEqual([
      ['s1', 's2', 's3'],
      ['s1', 's2'],
      ['s1', 's2'],
      ['s2'],
      [],
    ]);
    expect(graceSecrets(state!.webhookSecret, at(0))).toEqual([]);
  });

  it('is refused where as many hold as may, until the grace of one is over', () => {
    const rotations = Array.from({ length: MAX_LIVE_SECRETS - 1 }, (_, nth) =>
      signingRotated(`r${nth}`, at(10_000 + nth)),
    );
    const full = given(merchantDecider, ...history, ...rotations);
    full.when({ ...rotateSigning, secret: encrypted('more') }).thenRejected('TOO_MANY_SECRETS');
    full
      .when({ ...rotateSigning, secret: encrypted('more'), now: at(10_000) })
      .thenEvents(signingRotated('more', at(86_410_000)));
    full.when(rotateWebhook).thenEvents(webhookRotated);
  });

  it('is rotated once by the same request, whatever was rotated since then', () => {
    const requestId = 'A'.repeat(26);
    const asked = { ...rotateSigning, requestId };
    const rotated = {
      ...signingRotated('s2', at(1)),
      data: { merchantId, signingSecret: encrypted('s2'), graceEndsAt: at(1), requestId },
    };
    given(merchantDecider, ...history)
      .when(asked)
      .thenEvents({ ...rotated, data: { ...rotated.data, graceEndsAt: at(86_400_000) } } as MerchantEvent);
    const later = given(merchantDecider, ...history, rotated as MerchantEvent, signingRotated('s3', at(2)));
    later.when({ ...asked, secret: encrypted('encrypted again') }).thenNothing();
    expect(later.state!.signingSecret.requests).toEqual([{ requestId, graceEndsAt: at(1) }]);
  });
});

describe('settings', () => {
  const changed = (requireSignatures: boolean, rotationGraceSeconds: number): MerchantEvent => ({
    type: 'MerchantSettingsChanged',
    data: { merchantId, requireSignatures, rotationGraceSeconds, feeSchedule: NO_FEES },
  });

  it('change one by one', () => {
    given(merchantDecider, ...history)
      .when({ type: 'ChangeMerchantSettings', changes: { requireSignatures: true } })
      .thenEvents(changed(true, 86_400));
    given(merchantDecider, ...history, changed(true, 86_400))
      .when({ type: 'ChangeMerchantSettings', changes: { rotationGraceSeconds: 60 } })
      .thenEvents(changed(true, 60));
  });

  it('that are so already change nothing', () => {
    given(merchantDecider, ...history)
      .when({ type: 'ChangeMerchantSettings', changes: { requireSignatures: false, rotationGraceSeconds: 86_400 } })
      .thenNothing();
  });

  it.each([-1, 0.5, MAX_ROTATION_GRACE_SECONDS + 1, Number.NaN])('refuse a grace of %s s', (rotationGraceSeconds) => {
    given(merchantDecider, ...history)
      .when({ type: 'ChangeMerchantSettings', changes: { rotationGraceSeconds } })
      .thenRejected('ROTATION_GRACE_OUT_OF_RANGE');
  });
});

describe('a merchant', () => {
  it.each([
    { type: 'IssueAccessToken', token: token(1), now: at(0) },
    { type: 'RevokeAccessToken', tokenId: 'tok_1' },
    { type: 'RotateSecret', which: 'signing', secret: encrypted('s2'), now: at(0) },
    { type: 'RotateSecret', which: 'webhook', secret: encrypted('w2'), now: at(0) },
    { type: 'ReencryptMerchantSecrets', reencrypted: [], now: at(0) },
    { type: 'ChangeMerchantSettings', changes: {} },
  ] as const)('has to be registered before anything else ($type)', (command) => {
    given(merchantDecider).when(command).thenRejected('MERCHANT_NOT_FOUND');
  });

  it('keeps what was registered first, and ignores events that can not apply', () => {
    const again: MerchantRegistered = { ...registered, data: { ...registered.data, name: 'Other' } };
    const { state } = given(merchantDecider, ...history, again, revoked(9));
    expect(state).toMatchObject({ name: 'Shop', registeredAt: at(0), tokens: { tok_1: { issuedAt: at(1_000) } } });
    const [stray] = asStored<MerchantEvent>([revoked(1)]);
    expect(merchantDecider.evolve(null, stray!)).toBeNull();
  });

  it('keeps the time of the first revocation', () => {
    const { state } = given(merchantDecider, ...history, revoked(1), revoked(1));
    expect(findToken(state!, 'tok_1')!.revokedAt).toBe(at(2_000));
  });

  it('has a stream of its own', () => {
    expect(merchantStreamId('shop_1')).toBe('merchant-shop_1');
    expect(['a', 'A_9', 'x'.repeat(64)].every(isMerchantId)).toBe(true);
    expect(['', 'a-b', 'a b', 'é', 'a\n', 'x'.repeat(65)].some(isMerchantId)).toBe(false);
  });
});
