import { given } from '@app/event-sourcing/testing/given-when-then';
import {
  currentKey,
  dataKeyDecider,
  type DataKeyCreated,
  type DataKeyPurpose,
  type DataKeyRetired,
  type DataKeyRewrapped,
  type EncryptedSecret,
} from './';

const wrapped: EncryptedSecret = { keyId: 'master', iv: 'aXY=', ciphertext: 'Y3Q=', tag: 'dGFn' };
const created = (keyId: string, purpose: DataKeyPurpose = 'FINGERPRINTS'): DataKeyCreated => ({
  type: 'DataKeyCreated',
  data: { keyId, purpose, wrapped },
});
const create = (...keys: readonly (readonly [keyId: string, purpose: DataKeyPurpose, replaces: string | null])[]) =>
  ({
    type: 'CreateDataKeys',
    keys: keys.map(([keyId, purpose, replaces]) => ({ keyId, purpose, wrapped, replaces })),
  }) as const;

describe('data keys', () => {
  it('begin with the first ones, for each purpose one', () => {
    given(dataKeyDecider)
      .when(create(['dk_1', 'EVENT_MACS', null], ['dk_2', 'FINGERPRINTS', null]))
      .thenEvents(created('dk_1', 'EVENT_MACS'), created('dk_2', 'FINGERPRINTS'));
  });

  it('are created once if several processes start together', () => {
    given(dataKeyDecider, created('dk_1'))
      .when(create(['dk_2', 'FINGERPRINTS', null]))
      .thenNothing();
    given(dataKeyDecider, created('dk_1'))
      .when(create(['dk_2', 'EVENT_MACS', null], ['dk_3', 'FINGERPRINTS', null]))
      .thenEvents(created('dk_2', 'EVENT_MACS'));
  });

  it('are replaced by the next one of their purpose, which becomes the current one', () => {
    const keys = given(dataKeyDecider, created('dk_1', 'SEALS'), created('dk_2', 'EVENT_MACS'));
    keys.when(create(['dk_3', 'SEALS', 'dk_1'])).thenEvents(created('dk_3', 'SEALS'));
    const { state } = given(dataKeyDecider, created('dk_1', 'SEALS'), created('dk_3', 'SEALS'));
    expect(currentKey(state, 'SEALS')?.keyId).toBe('dk_3');
    expect(currentKey(state, 'EVENT_MACS')).toBeNull();
  });

  it('are replaced once, whoever else does it at the same time', () => {
    given(dataKeyDecider, created('dk_1'), created('dk_2'))
      .when(create(['dk_3', 'FINGERPRINTS', 'dk_1']))
      .thenNothing();
  });

  describe('that were replaced', () => {
    const history = [created('dk_1', 'EVENT_MACS'), created('dk_2', 'EVENT_MACS')];
    const retired: DataKeyRetired = { type: 'DataKeyRetired', data: { keyId: 'dk_1' } };

    it('are retired once, at the position of the event', () => {
      given(dataKeyDecider, ...history)
        .when({ type: 'RetireDataKey', keyId: 'dk_1' })
        .thenEvents(retired);
      const after = given(dataKeyDecider, ...history, retired);
      after.when({ type: 'RetireDataKey', keyId: 'dk_1' }).thenNothing();
      expect(after.state.map(({ retiredAt }) => retiredAt)).toEqual([2n, null]);
    });

    it.each(['dk_2', 'dk_3'])('are not retired while in use, or unknown (%s)', (keyId) => {
      given(dataKeyDecider, ...history)
        .when({ type: 'RetireDataKey', keyId })
        .thenNothing();
    });
  });

  describe('under a new master key', () => {
    const to: EncryptedSecret = { ...wrapped, keyId: 'next', iv: 'b3RoZXI=' };
    const rewrap = { type: 'RewrapDataKey', keyId: 'dk_1', from: wrapped, to } as const;
    const rewrapped: DataKeyRewrapped = { type: 'DataKeyRewrapped', data: { keyId: 'dk_1', wrapped: to } };

    it('are wrapped anew, each in its place, and still tell the master key they were created under', () => {
      given(dataKeyDecider, created('dk_1'), created('dk_2')).when(rewrap).thenEvents(rewrapped);
      const { state } = given(dataKeyDecider, created('dk_1'), created('dk_2'), rewrapped);
      expect(state).toMatchObject([
        { keyId: 'dk_1', wrapped: to, masterKeyId: 'master' },
        { keyId: 'dk_2', wrapped },
      ]);
    });

    it('are wrapped anew once, whoever else does it at the same time', () => {
      given(dataKeyDecider, created('dk_1'), rewrapped).when(rewrap).thenNothing();
      const late = { ...rewrap, to: { ...to, iv: 'bGF0ZQ==' } };
      given(dataKeyDecider, created('dk_1'), rewrapped).when(late).thenNothing();
    });

    it('are none that nobody knows', () => {
      given(dataKeyDecider).when(rewrap).thenNothing();
      given(dataKeyDecider, created('dk_2')).when(rewrap).thenNothing();
    });
  });
});
