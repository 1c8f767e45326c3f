/**
 * A secret as it is stored: AES-256-GCM under the master key. All fields but `keyId` are standard base64. Events never
 * contain the plaintext.
 */
export interface EncryptedSecret {
  /** The master key that decrypts it: the first 16 hex digits of the key's SHA-256. */
  readonly keyId: string;
  /** 12 bytes, never used twice with one key. */
  readonly iv: string;
  readonly ciphertext: string;
  /** 16 bytes; also covers the secret's context, so that it cannot be moved to another place. */
  readonly tag: string;
}

/** One secret under two master keys: the previous one, and its replacement. */
export interface ReencryptedSecret {
  readonly from: EncryptedSecret;
  readonly to: EncryptedSecret;
}

export function isSameEncryptedSecret(one: EncryptedSecret, other: EncryptedSecret): boolean {
  return (
    one.keyId === other.keyId && one.iv === other.iv && one.ciphertext === other.ciphertext && one.tag === other.tag
  );
}
