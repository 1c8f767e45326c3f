import { given } from '@app/event-sourcing/testing/given-when-then';
import { dataKeyDecider, type DataKeyCreated, type DataKeyRewrapped, type EncryptedSecret } from './';

const created = (keyId: string): DataKeyCreated => ({
  type: 'DataKeyCreated',
  data: { keyId, wrapped: { keyId: 'master', iv: 'aXY=', ciphertext: 'Y3Q=', tag: 'dGFn' } },
});
const command = { type: 'CreateFirstDataKey', ...created('dk_2').data } as const;

describe('data keys', () => {
  it('begin with the first one asked for', () => {
    given(dataKeyDecider).when(command).thenEvents(created('dk_2'));
  });

  it('have one first key only', () => {
    given(dataKeyDecider, created('dk_1')).when(command).thenNothing();
  });

  it('are kept in the order of their creation', () => {
    const { state } = given(dataKeyDecider, created('dk_1'), created('dk_2'));
    expect(state.map(({ keyId }) => keyId)).toEqual(['dk_1', 'dk_2']);
  });

  describe('under a new master key', () => {
    const from = created('dk_1').data.wrapped;
    const to: EncryptedSecret = { ...from, keyId: 'next', iv: 'b3RoZXI=' };
    const rewrap = { type: 'RewrapDataKey', keyId: 'dk_1', from, to } as const;
    const rewrapped: DataKeyRewrapped = { type: 'DataKeyRewrapped', data: { keyId: 'dk_1', wrapped: to } };

    it('are wrapped anew, each in its place', () => {
      given(dataKeyDecider, created('dk_1'), created('dk_2')).when(rewrap).thenEvents(rewrapped);
      const { state } = given(dataKeyDecider, created('dk_1'), created('dk_2'), rewrapped);
      expect(state).toEqual([{ keyId: 'dk_1', wrapped: to }, created('dk_2').data]);
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
