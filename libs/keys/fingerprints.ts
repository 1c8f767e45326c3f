import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import canonicalize from 'canonicalize';
import { DATA_KEYS_STREAM_ID, dataKeyDecider, type DataKeys } from '@app/keys/domain';
import type { Fingerprint, RequestIdentity } from '@app/idempotency/domain/repetition';
import { assert, CommandHandling, EventStoreUnavailableError, Random, uuidToBase32 } from '@app/event-sourcing';
import { dataKeyContext } from './data-key-context';
import { SecretCipher } from './secret-cipher';

const DATA_KEY_BYTES = 32;
const ACTOR = 'worker:data-keys';

/** 32 bytes derived from a data key. */
export interface DerivedKey {
  readonly dataKeyId: string;
  readonly key: Buffer;
}

interface OpenDataKey {
  readonly dataKeyId: string;
  readonly key: KeyObject;
}

/**
 * Makes the fingerprints that distinguish a repeated request from another one with the same idempotency key. The body
 * contains a card number, which a plain hash would reveal to anyone who tries all numbers. So it is an HMAC with a
 * random key, stored encrypted in the log.
 */
@Injectable()
export class RequestFingerprints {
  /** The current one first; null until they are loaded. */
  #keys: readonly [OpenDataKey, ...OpenDataKey[]] | null = null;

  constructor(
    private readonly handling: CommandHandling,
    private readonly cipher: SecretCipher,
    private readonly random: Random,
  ) {}

  get loaded(): boolean {
    return this.#keys !== null;
  }

  /**
   * Reads all data keys, and creates the first one if there is none. May be called again after a failure.
   *
   * @throws EventStoreUnavailableError
   * @throws WrongMasterKeyError, DamagedSecretError: the service cannot use this log with this MASTER_KEY.
   */
  async load(): Promise<void> {
    const stored = await this.handling.load(dataKeyDecider, DATA_KEYS_STREAM_ID);
    const dataKeys = stored.state.length > 0 ? stored.state : await this.createFirst();
    const keys = dataKeys.map(({ keyId, wrapped }) => ({
      dataKeyId: keyId,
      key: createSecretKey(this.cipher.decrypt(wrapped, dataKeyContext(keyId))),
    }));
    const [current, ...older] = keys.reverse();
    assert(current, 'a first data key exists once it was asked for');
    this.#keys = [current, ...older];
  }

  /**
   * Encrypts under the current master key every data key that another one has encrypted. Idempotent.
   *
   * @returns how many were re-encrypted.
   * @throws EventStoreUnavailableError, WrongMasterKeyError, DamagedSecretError
   */
  async rewrap(): Promise<number> {
    let rewrapped = 0;
    const stored = await this.handling.load(dataKeyDecider, DATA_KEYS_STREAM_ID);
    for (const { keyId, wrapped } of stored.state) {
      if (this.cipher.isCurrent(wrapped)) continue;
      const command = {
        type: 'RewrapDataKey',
        keyId,
        ...this.cipher.reencrypt(wrapped, dataKeyContext(keyId)),
      } as const;
      const context = { correlationId: this.random.uuid(), causationId: null, actor: ACTOR };
      const handled = await this.handling.handle(dataKeyDecider, DATA_KEYS_STREAM_ID, command, context);
      if (handled.kind === 'accepted') rewrapped += handled.events.length;
    }
    return rewrapped;
  }

  /**
   * Identifies a request by HMACs of its Idempotency-Key and its content under every data key. The `cvv` of
   * `payer.paymentMethod.card` is left out, because not even a fingerprint of it may be stored.
   *
   * @param body parsed JSON; not changed. Its strings must be well-formed Unicode (canonical JSON allows no lone
   * surrogates).
   * @throws EventStoreUnavailableError if the data keys are not loaded yet.
   */
  identify(idempotencyKey: string, body: object): RequestIdentity {
    if (this.#keys === null) throw new EventStoreUnavailableError('The data keys have not been read yet');
    const content = canonicalize(withoutCvv(body));
    assert(content, 'a body is a JSON object');
    const [current, ...older] = this.#keys;
    return {
      keyHash: hash('sha256', idempotencyKey, 'hex'),
      fingerprints: [
        fingerprint(current, idempotencyKey, content),
        ...older.map((key) => fingerprint(key, idempotencyKey, content)),
      ],
    };
  }

  /**
   * Derives one key for a purpose from each data key, without revealing the data key; the current one's first.
   *
   * @throws EventStoreUnavailableError if the data keys are not loaded yet.
   */
  derivedKeys(purpose: string): readonly DerivedKey[] {
    if (this.#keys === null) throw new EventStoreUnavailableError('The data keys have not been read yet');
    return this.#keys.map(({ dataKeyId, key }) => ({
      dataKeyId,
      key: createHmac('sha256', key).update(`key-for/${purpose}`).digest(),
    }));
  }

  /** If another process is faster, its key counts. */
  private async createFirst(): Promise<DataKeys> {
    const keyId = `dk_${uuidToBase32(this.random.uuid())}`;
    const wrapped = this.cipher.encrypt(this.random.bytes(DATA_KEY_BYTES), dataKeyContext(keyId));
    const context = { correlationId: keyId, causationId: null, actor: ACTOR };
    const command = { type: 'CreateFirstDataKey', keyId, wrapped } as const;
    return (await this.handling.handle(dataKeyDecider, DATA_KEYS_STREAM_ID, command, context)).loaded.state;
  }
}

/** No content starts with this prefix, so that neither HMAC can pass for the other. */
function fingerprint({ dataKeyId, key }: OpenDataKey, idempotencyKey: string, content: string): Fingerprint {
  const hmac = (text: string) => createHmac('sha256', key).update(text, 'utf8').digest('hex');
  return { dataKeyId, keyHmac: hmac(`Idempotency-Key: ${idempotencyKey}`), fingerprint: hmac(content) };
}

type Json = Readonly<Record<string, unknown>>;

const CVV_PATH = ['payer', 'paymentMethod', 'card'] as const;

/** The same body without the `cvv`; shares everything else with it. */
function withoutCvv(body: object): object {
  return without(body as Json, CVV_PATH, 'cvv');
}

function without(object: Json, path: readonly string[], name: string): Json {
  const [step, ...rest] = path;
  if (step === undefined) {
    const { [name]: _left, ...others } = object;
    return others;
  }
  const inner = object[step];
  return isObject(inner) ? { ...object, [step]: without(inner, rest, name) } : object;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
