import { SeededRandom } from '@app/platform/testing/seeded-random';
import { DamagedSecretError, SecretCipher } from './';
import { dataKeyContext } from './data-key-context';
import { countOpened } from './opened-data-keys';

const random = new SeededRandom();
const masterKey = (fill: number) => new Uint8Array(32).fill(fill);
const wrapped = (keyId: string, fill: number) => ({
  keyId,
  wrapped: new SecretCipher(masterKey(fill), null, random).encrypt(masterKey(9), dataKeyContext(keyId)),
});

describe('the data keys that a master key opens', () => {
  const both = [wrapped('dk_1', 1), wrapped('dk_2', 2)];

  it.each([
    [[], 0],
    [both, 1],
    [both.slice(0, 1), 1],
    [both.slice(1), 0],
  ])('are counted (%#)', (dataKeys, count) => {
    expect(countOpened(masterKey(1), dataKeys, random)).toBe(count);
  });

  it('are not counted where the right one meets something damaged', () => {
    const moved = [{ ...wrapped('dk_1', 1), keyId: 'dk_2' }];
    expect(() => countOpened(masterKey(1), moved, random)).toThrow(DamagedSecretError);
  });
});
