/**
 * A secret as it may be stored: AES-256-GCM under the master key. All fields but `keyId` are standard base64. The clear
 * text is never in an event.
 */
export interface EncryptedSecret {
  /** Which master key opens it: the first 16 hex digits of the key's SHA-256. */
  readonly keyId: string;
  /** 12 bytes, never used twice under one key. */
  readonly iv: string;
  readonly ciphertext: string;
  /** 16 bytes; also covers the place where the secret belongs, so that it can't be moved to another one. */
  readonly tag: string;
}

/** One secret under two master keys: the previous one, and the one that replaces it. */
export interface ReencryptedSecret {
  readonly from: EncryptedSecret;
  readonly to: EncryptedSecret;
}

export function isSameEncryptedSecret(one: EncryptedSecret, other: EncryptedSecret): boolean {
  return (
    one.keyId === other.keyId && one.iv === other.iv && one.ciphertext === other.ciphertext && one.tag === other.tag
  );
}
