import { isSameKey, noveltyOf, recordOf, type RequestIdentity } from './repetition';

const identity: RequestIdentity = {
  keyHash: 'key, hashed',
  fingerprints: [
    { dataKeyId: 'dk_2', keyHmac: 'key under 2', fingerprint: 'content under 2' },
    { dataKeyId: 'dk_1', keyHmac: 'key under 1', fingerprint: 'content under 1' },
  ],
};

describe('a request', () => {
  it.each([
    ['nothing', null, 'NEW'],
    ['its own record', recordOf(identity), 'REPEATED'],
    ['its record under an older data key', { dataKeyId: 'dk_1', fingerprint: 'content under 1' }, 'REPEATED'],
    ["another content's record", { dataKeyId: 'dk_2', fingerprint: 'other' }, 'KEY_REUSED'],
    ["another data key's record", { dataKeyId: 'dk_2', fingerprint: 'content under 1' }, 'KEY_REUSED'],
    ['a record under an unknown data key', { dataKeyId: 'dk_0', fingerprint: 'content under 1' }, 'KEY_REUSED'],
  ] as const)('that finds %s under its key', (_what, record, novelty) => {
    expect(noveltyOf(identity.fingerprints, record)).toBe(novelty);
  });

  it('leaves a record under the current data key', () => {
    expect(recordOf(identity)).toEqual(identity.fingerprints[0]);
  });

  it.each([
    [{ dataKeyId: 'dk_2', keyHmac: 'key under 2' }, true],
    [{ dataKeyId: 'dk_1', keyHmac: 'key under 1' }, true],
    [{ dataKeyId: 'dk_2', keyHmac: 'key under 1' }, false],
    [{ dataKeyId: 'dk_2', keyHash: 'key, hashed' }, true],
    [{ dataKeyId: 'dk_2', keyHash: 'other' }, false],
    // If there is an HMAC, the plain hash is ignored.
    [{ dataKeyId: 'dk_2', keyHmac: 'other', keyHash: 'key, hashed' }, false],
  ])('has the key of %j: %s', (record, isSame) => {
    expect(isSameKey(identity, { fingerprint: '', ...record })).toBe(isSame);
  });
});
