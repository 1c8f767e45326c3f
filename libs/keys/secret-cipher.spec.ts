import { inspect } from 'node:util';
import { SeededRandom } from '@app/platform/testing/seeded-random';
import { DamagedSecretError, SecretCipher, WrongMasterKeyError } from './';

const key = (fill: number) => new Uint8Array(32).fill(fill);
const cipher = (masterKey = key(1), previous: Uint8Array | null = null) =>
  new SecretCipher(masterKey, previous, new SeededRandom());
const context = 'merchant:mer_1:signing-secret';

/** The same base64 text with its first bit flipped. */
function turned(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  bytes[0]! ^= 0x80;
  return bytes.toString('base64');
}

describe('SecretCipher', () => {
  it.each(['', 'cfs_secret', 'Grüße 🚀'])('decrypts what it encrypted (%j)', (secret) => {
    const encrypted = cipher().encrypt(secret, context);
    expect(cipher().decryptText(encrypted, context)).toBe(secret);
  });

  it('opens bytes as they were', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    expect(cipher().decrypt(cipher().encrypt(bytes, context), context)).toEqual(Buffer.from(bytes));
  });

  it('names the key and shows nothing of the secret', () => {
    const encrypted = cipher().encrypt('cfs_secret', context);
    expect(encrypted.keyId).toMatch(/^[0-9a-f]{16}$/);
    expect(Buffer.from(encrypted.iv, 'base64')).toHaveLength(12);
    expect(Buffer.from(encrypted.tag, 'base64')).toHaveLength(16);
    expect(Buffer.from(encrypted.ciphertext, 'base64').toString('latin1')).not.toContain('cfs_');
  });

  it('never encrypts twice alike', () => {
    const one = cipher();
    expect(one.encrypt('same', context).ciphertext).not.toBe(one.encrypt('same', context).ciphertext);
  });

  it('refuses a secret that was moved to another place', () => {
    const encrypted = cipher().encrypt('cfs_secret', context);
    expect(() => cipher().decrypt(encrypted, 'merchant:mer_2:signing-secret')).toThrow(DamagedSecretError);
  });

  it('refuses a secret that was changed', () => {
    const encrypted = cipher().encrypt('cfs_secret', context);
    const forged = [
      { ...encrypted, ciphertext: turned(encrypted.ciphertext) },
      { ...encrypted, iv: turned(encrypted.iv) },
      { ...encrypted, tag: turned(encrypted.tag) },
      { ...encrypted, tag: Buffer.from(encrypted.tag, 'base64').subarray(0, 4).toString('base64') },
      { ...encrypted, iv: '' },
    ];
    for (const changed of forged) expect(() => cipher().decrypt(changed, context)).toThrow(DamagedSecretError);
  });

  it('decrypts with the previous master key what was encrypted before a rotation, and encrypts with the new one', () => {
    const before = cipher(key(1)).encrypt('old', context);
    const rotated = cipher(key(2), key(1));
    expect(rotated.decryptText(before, context)).toBe('old');
    const after = rotated.encrypt('new', context);
    expect(after.keyId).not.toBe(before.keyId);
    expect(cipher(key(2)).decryptText(after, context)).toBe('new');
  });

  it('names MASTER_KEY when it is another one, but nothing of the key', () => {
    const encrypted = cipher(key(1)).encrypt('secret', context);
    const open = () => cipher(key(2)).decrypt(encrypted, context);
    expect(open).toThrow(WrongMasterKeyError);
    expect(open).toThrow(/MASTER_KEY does not open merchant:mer_1:signing-secret/);
    expect(open).toThrow(encrypted.keyId);
  });

  it('shows no key when it is printed', () => {
    const shown = inspect(cipher(key(0xab)), { depth: 10, showHidden: true });
    expect(shown).not.toMatch(/abab|171, 171|q6urq6/);
  });

  it('takes keys of 32 bytes only', () => {
    expect(() => cipher(key(1).subarray(1))).toThrow('a master key has 32 bytes');
    expect(() => cipher(key(1), new Uint8Array(16))).toThrow('a master key has 32 bytes');
  });
});
