import { hash } from 'node:crypto';
import type { Scope } from '@app/merchants/domain';
import { isoTime } from '@app/event-sourcing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { operator, startProcess } from '@app/merchants/testing/merchant-process';
import { RegisterMerchantCommand } from './';
import { signingSecretContext, webhookSecretContext } from './secret-contexts';

describe('MerchantDirectory', () => {
  let here: ReturnType<typeof startProcess>;

  beforeEach(() => {
    here = startProcess(new MemoryEventStore());
  });

  async function register(merchantId: string) {
    const request = { merchantId, name: `Shop ${merchantId}` };
    const result = await here.registerMerchant.execute(new RegisterMerchantCommand(operator, request));
    if (result.kind === 'refused') throw new Error(result.code);
    return result.value;
  }

  const issue = (merchantId: string, token: string, scopes: readonly Scope[], expiresAt: string | null = null) =>
    here.decide(merchantId, {
      type: 'IssueAccessToken',
      token: { tokenId: `tok_${token}`, tokenHash: hash('sha256', token, 'hex'), scopes, expiresAt },
      now: isoTime(here.clock.nowMs()),
    });

  describe('authenticates', () => {
    it('a token with its merchant and scopes', async () => {
      const { accessToken } = await register('a');
      await register('b');
      await issue('b', 'reader', ['payments:read']);
      await here.directory.refresh();
      const bearer = here.directory.authenticate('reader');
      expect(bearer).toMatchObject({
        merchantId: 'b',
        name: 'Shop b',
        requireSignatures: false,
        tokenId: 'tok_reader',
      });
      expect([...bearer!.scopes]).toEqual(['payments:read']);
      expect(here.directory.authenticate(accessToken)).toMatchObject({ merchantId: 'a' });
    });

    it('nobody with an unknown token', async () => {
      const { accessToken } = await register('a');
      for (const token of ['', 'cft_', `${accessToken} `, accessToken.slice(0, -1), accessToken.toUpperCase()]) {
        expect(here.directory.authenticate(token)).toBeNull();
      }
    });

    it('nobody from the moment the token expires', async () => {
      await register('a');
      await issue('a', 'short', ['payments:read'], isoTime(here.clock.nowMs() + 1_000));
      await here.directory.refresh();
      await here.clock.advance(999);
      expect(here.directory.authenticate('short')).not.toBeNull();
      await here.clock.advance(1);
      expect(here.directory.authenticate('short')).toBeNull();
    });

    it('nobody with a revoked token, while other tokens hold', async () => {
      const { accessToken } = await register('a');
      await issue('a', 'other', ['payments:read']);
      await here.directory.refresh();
      const { tokenId } = here.directory.authenticate(accessToken)!;
      await here.decide('a', { type: 'RevokeAccessToken', tokenId });
      await here.directory.refresh();
      expect(here.directory.authenticate(accessToken)).toBeNull();
      expect(here.directory.authenticate('other')).not.toBeNull();
    });

    it('by the settings as they are now', async () => {
      const { accessToken } = await register('a');
      await here.decide('a', { type: 'ChangeMerchantSettings', changes: { requireSignatures: true } });
      await here.directory.refresh();
      expect(here.directory.authenticate(accessToken)!.requireSignatures).toBe(true);
    });
  });

  describe('knows the secrets', () => {
    const graceMs = 24 * 60 * 60 * 1_000;
    const now = () => isoTime(here.clock.nowMs());

    it('that sign requests: the replaced one within its grace only', async () => {
      const { signingSecret } = await register('a');
      expect(here.directory.signingSecrets('a')).toEqual([signingSecret]);
      const next = here.cipher.encrypt('cfs_next', signingSecretContext('a'));
      await here.decide('a', { type: 'RotateSecret', which: 'signing', secret: next, now: now() });
      await here.directory.refresh();
      expect(here.directory.signingSecrets('a')).toEqual(['cfs_next', signingSecret]);
      await here.clock.advance(graceMs);
      expect(here.directory.signingSecrets('a')).toEqual(['cfs_next']);
    });

    it('that sign webhooks: the replaced one within its grace only', async () => {
      const { webhookSecret } = await register('a');
      expect(here.directory.webhookSecrets('a')).toEqual({ current: webhookSecret, previous: [] });
      const next = here.cipher.encrypt('whsec_next', webhookSecretContext('a'));
      await here.decide('a', { type: 'RotateSecret', which: 'webhook', secret: next, now: now() });
      await here.directory.refresh();
      expect(here.directory.webhookSecrets('a')).toEqual({ current: 'whsec_next', previous: [webhookSecret] });
      await here.clock.advance(graceMs);
      expect(here.directory.webhookSecrets('a')).toEqual({ current: 'whsec_next', previous: [] });
    });

    it('and opens each of them once', async () => {
      await register('a');
      const open = jest.spyOn(here.cipher, 'decrypt');
      for (let times = 0; times < 3; times += 1) here.directory.signingSecrets('a');
      expect(open).toHaveBeenCalledTimes(1);
    });

    it('of no unknown merchant', () => {
      expect(here.directory.signingSecrets('a')).toEqual([]);
      expect(here.directory.webhookSecrets('a')).toBeNull();
      expect(here.directory.find('a')).toBeNull();
    });
  });
});
