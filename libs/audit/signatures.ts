import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import type { KeyIntroduction, LeafFacts, Seal } from '@app/audit/domain';
import { netstrings, sha256Netstrings } from '@app/platform/lifecycle/system-environment';

/** Before every raw Ed25519 public key in its standard form (SPKI, DER). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const RAW_BYTES = 32;

export type UnsignedSeal = Omit<Seal, 'signature'>;
export type UnsignedIntroduction = Omit<KeyIntroduction, 'signature' | 'previousSignature'>;

/** What a seal's signature covers. docs/audit.md defines it; a change needs another label. */
export function sealText(seal: UnsignedSeal): string {
  const { size, root, lastLeaf, position, previousSeal, keyId, sealedAt } = seal;
  return netstrings([
    'counterfoil seal 1',
    String(size),
    root,
    lastLeaf.streamId,
    String(lastLeaf.revision),
    lastLeaf.hash,
    position,
    streamEndsDigest(seal.streamEnds),
    refusedDigest(seal.refused),
    previousSeal,
    keyId,
    sealedAt,
  ]);
}

export function streamEndsDigest(ends: Seal['streamEnds']): string {
  return sha256Netstrings(ends.flatMap(({ streamId, revision, hash: start }) => [streamId, String(revision), start]));
}

export function refusedDigest(refused: Seal['refused']): string {
  return sha256Netstrings(refused.flatMap(({ streamId, revision }) => [streamId, String(revision)]));
}

/** What both signatures under a new key cover. */
export function introductionText(introduction: UnsignedIntroduction): string {
  const { keyId, publicKey, previousKeyId, previousSeal, introducedAt } = introduction;
  return netstrings(['counterfoil seal key 1', keyId, publicKey, previousKeyId ?? '', previousSeal, introducedAt]);
}

/** Base64. */
export function signed(text: string, key: KeyObject): string {
  return sign(null, Buffer.from(text, 'utf8'), key).toString('base64');
}

export function isSigned(text: string, signature: string, publicKey: KeyObject): boolean {
  return verify(null, Buffer.from(text, 'utf8'), publicKey, Buffer.from(signature, 'base64'));
}

/** The 32 bytes of a public key, base64. */
export function rawPublicKey(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(-RAW_BYTES).toString('base64');
}

/** Null if the text is not the base64 of 32 bytes. */
export function publicKeyFrom(raw: string): KeyObject | null {
  const bytes = Buffer.from(raw, 'base64');
  if (bytes.length !== RAW_BYTES || bytes.toString('base64') !== raw) return null;
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' });
}

/** The first 32 hexadecimal digits of the SHA-256 of the raw public key. */
export function sealKeyId(rawKey: string): string {
  return hash('sha256', Buffer.from(rawKey, 'base64'), 'hex').slice(0, 32);
}

/** What is seen first of an event's hash. */
export function hashStart({ hash: whole }: LeafFacts): string {
  return whole.slice(0, 16);
}
