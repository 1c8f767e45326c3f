import { createCipheriv, createDecipheriv, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { EncryptedSecret, ReencryptedSecret } from '@app/keys/domain';
import { assert, type Random } from '@app/event-sourcing';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The secret was encrypted under a master key that this process does not have. Contains key ids only, never key
 * material.
 */
export class WrongMasterKeyError extends Error {
  constructor(context: string, keyId: string, known: readonly string[]) {
    super(
      `MASTER_KEY does not open ${context}: it was encrypted under key ${keyId}, but MASTER_KEY and ` +
        `MASTER_KEY_PREVIOUS hold ${known.join(' and ')}`,
    );
    this.name = 'WrongMasterKeyError';
  }
}

/** The right master key does not decrypt it: the stored secret was changed, or moved here from another place. */
export class DamagedSecretError extends Error {
  constructor(context: string) {
    super(`The stored ${context} is damaged: it is not what was encrypted there`);
    this.name = 'DamagedSecretError';
  }
}

/**
 * Encrypts secrets under the master key, so that the log contains none in plaintext. A secret decrypts only in the
 * context in which it was encrypted, so it cannot be moved to another merchant or another use.
 */
export class SecretCipher {
  /** By key id, the current one first. */
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #currentId: string;

  /**
   * @param masterKey 32 bytes; the key for encryption.
   * @param previous 32 bytes; decrypts what was encrypted before a rotation of the master key.
   */
  constructor(
    masterKey: Uint8Array,
    previous: Uint8Array | null,
    private readonly random: Random,
  ) {
    const keys = previous === null ? [masterKey] : [masterKey, previous];
    for (const key of keys) assert(key.length === KEY_BYTES, `a master key has ${KEY_BYTES} bytes`);
    this.#keys = new Map(keys.map((key) => [keyIdOf(key), createSecretKey(key)]));
    this.#currentId = keyIdOf(masterKey);
  }

  /** @param context where the secret belongs, such as `merchant:<id>:signing-secret`. */
  encrypt(secret: string | Uint8Array, context: string): EncryptedSecret {
    const key = this.#keys.get(this.#currentId);
    assert(key, 'the current master key is known');
    const iv = this.random.bytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(context, 'utf8'));
    const clear = typeof secret === 'string' ? Buffer.from(secret, 'utf8') : secret;
    const ciphertext = Buffer.concat([cipher.update(clear), cipher.final()]);
    return {
      keyId: this.#currentId,
      iv: Buffer.from(iv).toString('base64'),
      ciphertext: ciphertext.toString('base64'),
      tag: cipher.getAuthTag().toString('base64'),
    };
  }

  /** Whether there is a previous master key. */
  get isRotating(): boolean {
    return this.#keys.size > 1;
  }

  /** Whether it was encrypted under the current master key, so that no other one is needed. */
  isCurrent(encrypted: EncryptedSecret): boolean {
    return encrypted.keyId === this.#currentId;
  }

  /** The secret under the current master key, for the same context. @throws WrongMasterKeyError, DamagedSecretError */
  reencrypt(from: EncryptedSecret, context: string): ReencryptedSecret {
    return { from, to: this.encrypt(this.decrypt(from, context), context) };
  }

  /** The secret's bytes. @throws WrongMasterKeyError, DamagedSecretError */
  decrypt(encrypted: EncryptedSecret, context: string): Buffer {
    const key = this.#keys.get(encrypted.keyId);
    if (key === undefined) throw new WrongMasterKeyError(context, encrypted.keyId, [...this.#keys.keys()]);
    const iv = Buffer.from(encrypted.iv, 'base64');
    const tag = Buffer.from(encrypted.tag, 'base64');
    // OpenSSL would accept a shortened tag, which is easier to guess.
    if (iv.length !== IV_BYTES || tag.length !== TAG_BYTES) throw new DamagedSecretError(context);
    const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context, 'utf8'));
    decipher.setAuthTag(tag);
    const opened = decipher.update(Buffer.from(encrypted.ciphertext, 'base64'));
    try {
      return Buffer.concat([opened, decipher.final()]);
    } catch {
      throw new DamagedSecretError(context);
    }
  }

  /** The secret as a string. @throws WrongMasterKeyError, DamagedSecretError */
  decryptText(encrypted: EncryptedSecret, context: string): string {
    return this.decrypt(encrypted, context).toString('utf8');
  }
}

function keyIdOf(key: Uint8Array): string {
  return hash('sha256', key, 'hex').slice(0, 16);
}
