import { given } from '@app/kernel/testing/given-when-then';
import { dataKeyDecider, type DataKeyCreated } from '.';

const created = (keyId: string): DataKeyCreated => ({
  type: 'DataKeyCreated',
  data: { keyId, wrapped: { keyId: 'master', iv: 'aXY=', ciphertext: 'Y3Q=', tag: 'dGFn' } },
});
const command = { kind: 'CreateFirstDataKey', ...created('dk_2').data } as const;

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
});
