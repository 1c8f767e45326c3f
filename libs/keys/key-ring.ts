import { createSecretKey, type KeyObject } from 'node:crypto';
import {
  currentKey,
  DATA_KEYS_STREAM_ID,
  type DataKey,
  type DataKeyCommand,
  dataKeyDecider,
  type DataKeyPurpose,
  type DataKeys,
  type NewDataKey,
} from '@app/keys/domain';
import {
  assert,
  type Clock,
  CommandHandling,
  contentParts,
  type EventContent,
  type EventMetadata,
  type EventProof,
  EventProofs,
  type EventStore,
  EventStoreUnavailableError,
  type Random,
  type RecordedEvent,
  uuidToBase32,
  type Verdict,
  VerifiedEventStore,
} from '@app/event-sourcing';
import { hmacProof } from '@app/platform/lifecycle/system-environment';
import { dataKeyContext } from './data-key-context';
import { type OpenedKeys, provenBy, readDataKeys } from './read-data-keys';
import type { SecretCipher } from './secret-cipher';

const DATA_KEY_BYTES = 32;
const ACTOR = 'worker:data-keys';
const PURPOSES: readonly DataKeyPurpose[] = ['EVENT_MACS', 'FINGERPRINTS', 'SEALS'];
/** What is replaced after a rotation of the master key, since whoever knows the old one knows these keys. */
const ROTATED: readonly DataKeyPurpose[] = ['EVENT_MACS', 'SEALS'];
/** By then every running process has read the key that replaces another one. */
const RETIRED_AFTER_MS = 10 * 60_000;

export interface OpenDataKey {
  readonly dataKeyId: string;
  readonly key: KeyObject;
}

export interface KeyRingDependencies {
  /** Not verified: the keys that prove all other events are read from it. */
  readonly eventStore: EventStore;
  readonly cipher: SecretCipher;
  readonly clock: Clock;
  readonly random: Random;
}

/** The data keys of the installation, which stand encrypted in the stream `keys`, and the proofs made with them. */
export class KeyRing extends EventProofs {
  #state: DataKeys = [];
  /** Of the last event that was read. */
  #revision = -1;
  #open: OpenedKeys = new Map();
  /** Null while no key of events is loaded. */
  #current: OpenDataKey | null = null;
  /** Proves the append that brings it into the log. */
  #first: OpenDataKey | null = null;
  readonly #handling: CommandHandling;

  constructor(private readonly deps: KeyRingDependencies) {
    super();
    this.#handling = new CommandHandling({
      ...deps,
      eventStore: new VerifiedEventStore(deps.eventStore, this),
      proofs: this,
    });
  }

  get isLoaded(): boolean {
    return PURPOSES.every((purpose) => currentKey(this.#state, purpose) !== null);
  }

  /**
   * Reads all keys, and creates the missing ones. May be called again.
   *
   * @throws EventStoreUnavailableError
   * @throws WrongMasterKeyError, DamagedSecretError: the service cannot use this log with this MASTER_KEY.
   */
  async load(): Promise<void> {
    await this.refresh();
    if (this.isLoaded) return;
    const missing = PURPOSES.filter((purpose) => currentKey(this.#state, purpose) === null);
    await this.create(missing);
  }

  override async refresh(): Promise<void> {
    const recorded = await this.deps.eventStore.readStream(DATA_KEYS_STREAM_ID);
    const revision = recorded.at(-1)?.revision ?? -1;
    // Nothing is new, or a read that began earlier ends later: what it lacks would make events of a new key look forged.
    if (revision <= this.#revision) return;
    this.#revision = revision;
    const { state, open } = readDataKeys(recorded, this.deps.cipher);
    this.#state = state;
    this.#open = open;
    const current = currentKey(state, 'EVENT_MACS');
    this.#current = current && this.openKey(current);
  }

  /** The keys of a purpose, the current one first. @throws EventStoreUnavailableError while they are not loaded. */
  keysFor(purpose: DataKeyPurpose): readonly [OpenDataKey, ...OpenDataKey[]] {
    const keys = this.#state.filter((key) => key.purpose === purpose).map((key) => this.openKey(key));
    const [current, ...older] = keys.reverse();
    if (current === undefined) throw notLoaded();
    return [current, ...older];
  }

  override prove(content: EventContent): EventProof {
    const key = content.streamId === DATA_KEYS_STREAM_ID ? (this.#current ?? this.#first) : this.#current;
    if (key === null) throw notLoaded();
    return hmacProof(contentParts(content), key.dataKeyId, key.key);
  }

  override check(event: RecordedEvent, metadata: EventMetadata): Verdict {
    const key = this.#open.get(metadata.macKeyId);
    if (key === undefined) return { kind: 'UNKNOWN_KEY' };
    const { retiredAt = null } = this.#state.find(({ keyId }) => keyId === metadata.macKeyId) ?? {};
    if (retiredAt !== null && event.position > retiredAt) {
      return { kind: 'FORGED', reason: 'the key of its MAC had been retired' };
    }
    return provenBy(key, event, metadata);
  }

  /**
   * Completes a rotation of the master key: replaces the keys that prove something, then encrypts every key under the
   * current master key. Idempotent.
   *
   * @returns how many keys were re-encrypted.
   * @throws EventStoreUnavailableError, WrongMasterKeyError, DamagedSecretError
   */
  async rotate(): Promise<number> {
    await this.refresh();
    const replaced = ROTATED.filter((purpose) => !this.isUnderCurrentMasterKey(purpose));
    if (replaced.length > 0) await this.create(replaced);
    let rewrapped = 0;
    for (const { keyId, wrapped } of this.#state) {
      if (this.deps.cipher.isCurrent(wrapped)) continue;
      const reencrypted = this.deps.cipher.reencrypt(wrapped, dataKeyContext(keyId));
      rewrapped += await this.handle({ type: 'RewrapDataKey', keyId, ...reencrypted });
    }
    return rewrapped;
  }

  /**
   * Retires the keys that were replaced long enough ago for every process to know it, unless a rotation is under way.
   *
   * @throws EventStoreUnavailableError
   */
  async retireReplaced(): Promise<void> {
    if (this.deps.cipher.isRotating) return;
    const nowMs = this.deps.clock.settledMs();
    for (const { keyId, purpose, retiredAt } of this.#state) {
      const current = currentKey(this.#state, purpose);
      if (current === null || current.keyId === keyId || retiredAt !== null) continue;
      if (!ROTATED.includes(purpose) || nowMs - Date.parse(current.createdAt) < RETIRED_AFTER_MS) continue;
      await this.handle({ type: 'RetireDataKey', keyId });
    }
  }

  private isUnderCurrentMasterKey(purpose: DataKeyPurpose): boolean {
    const key = currentKey(this.#state, purpose);
    return key !== null && this.deps.cipher.isCurrent({ ...key.wrapped, keyId: key.masterKeyId });
  }

  /** If another process is faster, its keys count. */
  private async create(purposes: readonly DataKeyPurpose[]): Promise<void> {
    const { cipher, random } = this.deps;
    const keys = purposes.map((purpose): NewDataKey & { readonly secret: Uint8Array } => {
      const keyId = `dk_${uuidToBase32(random.uuid())}`;
      const secret = random.bytes(DATA_KEY_BYTES);
      const replaces = currentKey(this.#state, purpose)?.keyId ?? null;
      return { keyId, purpose, secret, wrapped: cipher.encrypt(secret, dataKeyContext(keyId)), replaces };
    });
    const mac = keys.find(({ purpose, replaces }) => purpose === 'EVENT_MACS' && replaces === null);
    if (mac !== undefined) this.#first = { dataKeyId: mac.keyId, key: createSecretKey(mac.secret) };
    try {
      await this.handle({
        type: 'CreateDataKeys',
        keys: keys.map(({ keyId, purpose, wrapped, replaces }) => ({ keyId, purpose, wrapped, replaces })),
      });
    } finally {
      this.#first = null;
    }
  }

  private async handle(command: DataKeyCommand): Promise<number> {
    const context = { correlationId: this.deps.random.uuid(), causationId: null, actor: ACTOR };
    const handled = await this.#handling.handle(dataKeyDecider, DATA_KEYS_STREAM_ID, command, context);
    await this.refresh();
    return handled.kind === 'accepted' ? handled.events.length : 0;
  }

  private openKey({ keyId }: DataKey): OpenDataKey {
    const key = this.#open.get(keyId);
    assert(key, 'every key that was read is open');
    return { dataKeyId: keyId, key };
  }
}

function notLoaded(): EventStoreUnavailableError {
  return new EventStoreUnavailableError('The data keys have not been read yet');
}
