import type { DataKeys } from '@app/domain/data-key';
import type { Random } from '@app/kernel';
import { dataKeyContext } from './data-key-context';
import { Vault, WrongMasterKeyError } from './vault';

/**
 * How many of the data keys this master key opens. A rotation seals them last of all: a key that opens none of them opens nothing
 * any more that the service needs.
 *
 * @throws BrokenSealError where the key is the right one and what was sealed with it is damaged.
 */
export function countOpened(masterKey: Uint8Array, dataKeys: DataKeys, random: Random): number {
  const vault = new Vault(masterKey, null, random);
  return dataKeys.filter(({ keyId, wrapped }) => {
    try {
      vault.open(wrapped, dataKeyContext(keyId));
      return true;
    } catch (error) {
      if (error instanceof WrongMasterKeyError) return false;
      throw error;
    }
  }).length;
}
