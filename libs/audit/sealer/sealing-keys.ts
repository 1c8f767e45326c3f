import { createPrivateKey, type KeyObject } from 'node:crypto';
import { rawPublicKey, sealKeyId } from '@app/audit/signatures';

export interface SealingKey {
  readonly keyId: string;
  /** Raw, base64. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

/** Gives the Ed25519 keys that seals are signed with. */
export abstract class SealingKeys {
  /** The current one first; older ones hand over to it. @throws EventStoreUnavailableError while they are not known. */
  abstract all(): readonly [SealingKey, ...SealingKey[]];
}

/** Before every seed of an Ed25519 key in its standard form (PKCS #8, DER). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @param seed 32 random bytes. */
export function sealingKey(seed: Uint8Array): SealingKey {
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = rawPublicKey(privateKey);
  return { keyId: sealKeyId(publicKey), publicKey, privateKey };
}
