import { given } from '@app/event-sourcing/testing/given-when-then';
import { answeredRequestDecider, type RequestAnswered, requestStreamId } from './';

const answered = (fingerprint: string): RequestAnswered => ({
  type: 'RequestAnswered',
  data: {
    operation: 'POST /admin/v1/merchants',
    dataKeyId: 'dk_1',
    fingerprint,
    answer: { keyId: 'k', iv: 'aXY=', ciphertext: 'Y3Q=', tag: 'dGFn' },
  },
});
const record = (fingerprint: string) => ({ type: 'RecordAnswer', ...answered(fingerprint).data }) as const;

describe('a request that came with a key', () => {
  it('is recorded with its answer, in a stream of its own', () => {
    given(answeredRequestDecider).when(record('a')).thenEvents(answered('a'));
    expect(requestStreamId('ABC')).toBe('request-ABC');
  });

  it('keeps the first answer, whatever comes after it', () => {
    given(answeredRequestDecider, answered('a')).when(record('b')).thenNothing();
    expect(given(answeredRequestDecider, answered('a'), answered('b')).state).toEqual(answered('a').data);
  });
});
