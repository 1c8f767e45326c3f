import { EventStoreUnavailableError } from '@app/event-sourcing';
import { NO_FEES } from '@app/merchants/domain';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { operator, startProcess } from '@app/merchants/testing/merchant-process';
import {
  IssueAccessTokenCommand,
  IssueAccessTokenHandler,
  type IssueAccessTokenRequest,
  ListAccessTokensHandler,
  ListAccessTokensQuery,
  RevokeAccessTokenCommand,
  RevokeAccessTokenHandler,
} from './access-tokens';
import { ChangeMerchantSettingsCommand, ChangeMerchantSettingsHandler } from './change-settings';
import type { SecretKind } from '@app/merchants/domain';
import { RotateSecretCommand, RotateSecretHandler } from './rotate-secret';
import { ChangeSuspensionCommand, ChangeSuspensionHandler } from './suspension';

const START = '2030-01-01T00:00:00.000Z';

describe('the administration of a merchant', () => {
  let eventStore: MemoryEventStore;
  let here: ReturnType<typeof startProcess>;

  beforeEach(async () => {
    eventStore = new MemoryEventStore();
    here = startProcess(eventStore);
    await here.registration.register(operator, 'Shop', {
      merchantId: 'shop_1',
      accessToken: 'cft_first',
      signingSecret: 'cfs_first',
      webhookSecret: 'whsec_Zmlyc3Q=',
    });
  });

  const issue = (request: IssueAccessTokenRequest = {}, merchantId = 'shop_1') =>
    new IssueAccessTokenHandler(here.handling, here.random, here.clock, here.directory).execute(
      new IssueAccessTokenCommand(operator, merchantId, request),
    );
  const revoke = (tokenId: string, merchantId = 'shop_1') =>
    new RevokeAccessTokenHandler(here.handling, here.directory).execute(
      new RevokeAccessTokenCommand(operator, merchantId, tokenId),
    );
  const tokens = (merchantId = 'shop_1') =>
    new ListAccessTokensHandler(here.handling).execute(new ListAccessTokensQuery(merchantId));
  const rotate = (which: SecretKind, merchantId = 'shop_1') =>
    new RotateSecretHandler(here.handling, here.cipher, here.random, here.clock, here.directory).execute(
      new RotateSecretCommand(operator, merchantId, which),
    );
  const change = (changes: ChangeMerchantSettingsCommand['changes'], merchantId = 'shop_1', name?: string) =>
    new ChangeMerchantSettingsHandler(here.handling, here.directory).execute(
      new ChangeMerchantSettingsCommand(operator, merchantId, changes, name),
    );
  const suspend = (change: 'suspend' | 'reinstate', reason: string | null = null, merchantId = 'shop_1') =>
    new ChangeSuspensionHandler(here.handling, here.directory).execute(
      new ChangeSuspensionCommand(operator, merchantId, change, reason),
    );
  const isSuspended = (directory = here.directory) => directory.authenticate('cft_first')?.isSuspended;
  const stored = async () =>
    JSON.stringify((await eventStore.readStream('merchant-shop_1')).map(({ data, metadata }) => [data, metadata]));

  async function issued(request?: IssueAccessTokenRequest) {
    const result = await issue(request);
    if (result.kind !== 'done') throw new Error(result.code);
    return result;
  }

  it('issues tokens that hold at once, with the rights that were asked for', async () => {
    const expiresAt = '2030-01-01T00:00:10.000Z';
    const { accessToken, token } = await issued({ scopes: ['refunds:write'], expiresAt });
    expect(token).toEqual({
      tokenId: expect.stringMatching(/^tok_[0-9A-HJKMNP-TV-Z]{26}$/),
      name: null,
      scopes: ['refunds:write'],
      issuedAt: START,
      expiresAt,
      revokedAt: null,
    });
    expect([...here.directory.authenticate(accessToken)!.scopes]).toEqual(['refunds:write']);
    await here.clock.advance(10_000);
    expect(here.directory.authenticate(accessToken)).toBeNull();
    expect(await stored()).not.toContain(accessToken);
  });

  it('refuses a token that could never be used', async () => {
    expect(await issue({ scopes: [] })).toEqual({ kind: 'refused', code: 'TOKEN_WITHOUT_SCOPES' });
    expect(await issue({ expiresAt: START })).toEqual({ kind: 'refused', code: 'TOKEN_EXPIRY_NOT_IN_FUTURE' });
  });

  it('issues no more tokens than a merchant may have', async () => {
    for (let count = 1; count < 100; count += 1) await issued();
    expect(await issue()).toEqual({ kind: 'refused', code: 'TOO_MANY_TOKENS' });
    const [newest] = (await tokens())!;
    expect(await revoke(newest!.tokenId)).toEqual({ kind: 'done' });
    await issued();
  });

  it('lists tokens without their hashes, the newest first', async () => {
    const { token } = await issued();
    const listed = (await tokens())!;
    expect(listed[0]).toEqual(token);
    expect(listed).toHaveLength(2);
    expect(JSON.stringify(listed)).not.toMatch(/[0-9a-f]{64}/);
  });

  it('revokes tokens, and answers only once nobody is let in with them', async () => {
    const { accessToken, token } = await issued();
    expect(await revoke(token.tokenId)).toEqual({ kind: 'done' });
    expect(here.directory.authenticate(accessToken)).toBeNull();
    expect(await revoke(token.tokenId)).toEqual({ kind: 'done' });
    expect(await revoke('constructor')).toEqual({ kind: 'refused', code: 'TOKEN_NOT_FOUND' });

    const { token: other } = await issued();
    jest.spyOn(eventStore, 'readAll').mockRejectedValueOnce(new EventStoreUnavailableError('away'));
    await expect(revoke(other.tokenId)).rejects.toThrow(EventStoreUnavailableError);
    expect(await revoke(other.tokenId)).toEqual({ kind: 'done' });
  });

  it.each(['signing', 'webhook'] as const)(
    'rotates the %s secret; the one before holds for its grace',
    async (which) => {
      await change({ rotationGraceSeconds: 60 });
      const result = await rotate(which);
      if (result.kind !== 'done') throw new Error(result.code);
      expect(result.previousSecretExpiresAt).toBe('2030-01-01T00:01:00.000Z');
      const live = () => {
        if (which === 'signing') return here.directory.signingSecrets('shop_1');
        const { current, previous } = here.directory.webhookSecrets('shop_1')!;
        return [current, ...previous.toReversed()];
      };
      const first = which === 'signing' ? 'cfs_first' : 'whsec_Zmlyc3Q=';
      expect(live()).toEqual([result.secret, first]);
      expect(result.secret).toMatch(which === 'signing' ? /^cfs_[\w-]{43}$/ : /^whsec_[A-Za-z0-9+/]{43}=$/);
      await here.clock.advance(60_000);
      expect(live()).toEqual([result.secret]);
      expect(await stored()).not.toContain(result.secret.slice(result.secret.indexOf('_') + 1));
    },
  );

  it('shows a new token or secret even when the directory can not be refreshed', async () => {
    const away = () => jest.spyOn(eventStore, 'readAll').mockRejectedValueOnce(new EventStoreUnavailableError('away'));
    away();
    const { accessToken } = await issued();
    away();
    expect(await rotate('signing')).toMatchObject({ kind: 'done' });
    await here.directory.refresh();
    expect(here.directory.authenticate(accessToken)).not.toBeNull();
  });

  it('changes settings, which hold at once, and leaves the others', async () => {
    const feeSchedule = { basisPoints: 150, fixedMinor: [['EUR', '25']] } as const;
    expect(await change({ requireSignatures: true, feeSchedule })).toEqual({
      kind: 'done',
      value: {
        merchantId: 'shop_1',
        name: 'Shop',
        registeredAt: START,
        settings: { requireSignatures: true, rotationGraceSeconds: 86_400, feeSchedule },
        suspension: null,
      },
    });
    expect(here.directory.authenticate('cft_first')!.requireSignatures).toBe(true);
    expect(await change({ feeSchedule: NO_FEES })).toMatchObject({
      value: { settings: { requireSignatures: true, feeSchedule: NO_FEES } },
    });
    const before = await stored();
    expect(await change({})).toMatchObject({ kind: 'done' });
    expect(await stored()).toBe(before);
  });

  it('suspends and reinstates, at once here and in every process that follows the log', async () => {
    const elsewhere = startProcess(eventStore, 2, here.clock);
    const following = new AbortController();
    const done = elsewhere.directory.follow(following.signal);
    const heard = async () => {
      await here.clock.advance(1_000);
      return isSuspended(elsewhere.directory);
    };
    expect(await heard()).toBe(false);
    const suspended = await suspend('suspend', 'fraud');
    expect(suspended).toMatchObject({ kind: 'done', value: { suspension: { reason: 'fraud' } } });
    expect(await suspend('suspend', 'another')).toEqual(suspended);
    expect([isSuspended(), await heard()]).toEqual([true, true]);
    // Workers still find its fees and secrets: earlier commitments continue.
    expect(here.directory.find('shop_1')).not.toBeNull();
    expect(here.directory.webhookSecrets('shop_1')).not.toBeNull();
    expect(await suspend('reinstate')).toMatchObject({ kind: 'done', value: { suspension: null } });
    expect([isSuspended(), await heard()]).toEqual([false, false]);
    following.abort();
    await done;
  });

  it('renames, for the answers and for the log lines of requests that come after', async () => {
    expect(await change({}, 'shop_1', 'Shop & Sons')).toMatchObject({ value: { name: 'Shop & Sons' } });
    expect(here.directory.authenticate('cft_first')!.name).toBe('Shop & Sons');
  });

  it('keeps no card number, wherever it is written', async () => {
    const text = 'see 4111 1111 1111 1111';
    const refused = (field: string) => ({
      code: 'VALIDATION_FAILED',
      problems: [{ field, code: 'CARD_DATA_NOT_ALLOWED' }],
    });
    const before = await stored();
    expect(await change({}, 'shop_1', text)).toMatchObject(refused('name'));
    expect(await suspend('suspend', text)).toMatchObject(refused('reason'));
    expect(await suspend('reinstate', text)).toMatchObject(refused('reason'));
    expect(await issue({ name: text })).toMatchObject(refused('name'));
    expect(await stored()).toBe(before);
  });

  it('refuses settings that make no sense', async () => {
    expect(await change({ rotationGraceSeconds: -1 })).toMatchObject({ code: 'ROTATION_GRACE_OUT_OF_RANGE' });
    const feeSchedule = { basisPoints: 10_001, fixedMinor: [] };
    expect(await change({ feeSchedule })).toMatchObject({ code: 'FEE_SCHEDULE_INVALID' });
  });

  it.each(['shop_2', 'no-merchant', ''])('knows no merchant %j', async (merchantId) => {
    const refused = { kind: 'refused', code: 'MERCHANT_NOT_FOUND' };
    expect(await issue({}, merchantId)).toEqual(refused);
    expect(await revoke('tok_1', merchantId)).toEqual(refused);
    expect(await rotate('signing', merchantId)).toEqual(refused);
    expect(await rotate('webhook', merchantId)).toEqual(refused);
    expect(await change({}, merchantId)).toEqual(refused);
    for (const way of ['suspend', 'reinstate'] as const) expect(await suspend(way, null, merchantId)).toEqual(refused);
    expect(await tokens(merchantId)).toBeNull();
  });
});
