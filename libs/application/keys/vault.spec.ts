import { inspect } from 'node:util';
import { SeededRandom } from '@app/runtime/testing/seeded-random';
import { BrokenSealError, Vault, WrongMasterKeyError } from '.';

const key = (fill: number) => new Uint8Array(32).fill(fill);
const vault = (masterKey = key(1), previous: Uint8Array | null = null) =>
  new Vault(masterKey, previous, new SeededRandom());
const context = 'merchant:mer_1:signing-secret';

/** The same base64 text with its first bit turned over. */
function turned(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  bytes[0]! ^= 0x80;
  return bytes.toString('base64');
}

describe('Vault', () => {
  it.each(['', 'cfs_secret', 'Grüße 🚀'])('opens what it sealed (%j)', (secret) => {
    const sealed = vault().seal(secret, context);
    expect(vault().openText(sealed, context)).toBe(secret);
  });

  it('opens bytes as they were', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    expect(vault().open(vault().seal(bytes, context), context)).toEqual(Buffer.from(bytes));
  });

  it('names the key and shows nothing of the secret', () => {
    const sealed = vault().seal('cfs_secret', context);
    expect(sealed.keyId).toMatch(/^[0-9a-f]{16}$/);
    expect(Buffer.from(sealed.iv, 'base64')).toHaveLength(12);
    expect(Buffer.from(sealed.tag, 'base64')).toHaveLength(16);
    expect(Buffer.from(sealed.ciphertext, 'base64').toString('latin1')).not.toContain('cfs_');
  });

  it('never seals twice alike', () => {
    const one = vault();
    expect(one.seal('same', context).ciphertext).not.toBe(one.seal('same', context).ciphertext);
  });

  it('refuses a secret that was moved to another place', () => {
    const sealed = vault().seal('cfs_secret', context);
    expect(() => vault().open(sealed, 'merchant:mer_2:signing-secret')).toThrow(BrokenSealError);
  });

  it('refuses a secret that was changed', () => {
    const sealed = vault().seal('cfs_secret', context);
    const forged = [
      { ...sealed, ciphertext: turned(sealed.ciphertext) },
      { ...sealed, iv: turned(sealed.iv) },
      { ...sealed, tag: turned(sealed.tag) },
      { ...sealed, tag: Buffer.from(sealed.tag, 'base64').subarray(0, 4).toString('base64') },
      { ...sealed, iv: '' },
    ];
    for (const changed of forged) expect(() => vault().open(changed, context)).toThrow(BrokenSealError);
  });

  it('opens with the previous master key what was sealed before a rotation, and seals with the new one', () => {
    const before = vault(key(1)).seal('old', context);
    const rotated = vault(key(2), key(1));
    expect(rotated.openText(before, context)).toBe('old');
    const after = rotated.seal('new', context);
    expect(after.keyId).not.toBe(before.keyId);
    expect(vault(key(2)).openText(after, context)).toBe('new');
  });

  it('names MASTER_KEY when it is another one, but nothing of the key', () => {
    const sealed = vault(key(1)).seal('secret', context);
    const open = () => vault(key(2)).open(sealed, context);
    expect(open).toThrow(WrongMasterKeyError);
    expect(open).toThrow(/MASTER_KEY does not open merchant:mer_1:signing-secret/);
    expect(open).toThrow(sealed.keyId);
  });

  it('shows no key when it is printed', () => {
    const shown = inspect(vault(key(0xab)), { depth: 10, showHidden: true });
    expect(shown).not.toMatch(/abab|171, 171|q6urq6/);
  });

  it('takes keys of 32 bytes only', () => {
    expect(() => vault(key(1).subarray(1))).toThrow('a master key has 32 bytes');
    expect(() => vault(key(1), new Uint8Array(16))).toThrow('a master key has 32 bytes');
  });
});
