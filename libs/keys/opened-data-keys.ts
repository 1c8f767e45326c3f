import type { DataKey } from '@app/keys/domain';
import type { Random } from '@app/event-sourcing';
import { dataKeyContext } from './data-key-context';
import { SecretCipher, WrongMasterKeyError } from './secret-cipher';

/**
 * How many of the data keys this master key decrypts. A rotation re-encrypts them last, so a master key that decrypts
 * none is no longer needed.
 *
 * @throws DamagedSecretError if the key is right but the ciphertext is damaged.
 */
export function countOpened(
  masterKey: Uint8Array,
  dataKeys: readonly Pick<DataKey, 'keyId' | 'wrapped'>[],
  random: Random,
): number {
  const cipher = new SecretCipher(masterKey, null, random);
  return dataKeys.filter(({ keyId, wrapped }) => {
    try {
      cipher.decrypt(wrapped, dataKeyContext(keyId));
      return true;
    } catch (error) {
      if (error instanceof WrongMasterKeyError) return false;
      throw error;
    }
  }).length;
}
