import { createSecretKey, type KeyObject } from 'node:crypto';
import { dataKeyDecider, type DataKeyEvent, type DataKeys, type EncryptedSecret } from '@app/keys/domain';
import {
  contentParts,
  type EventMetadata,
  ownMetadata,
  readHistory,
  type RecordedEvent,
  type Verdict,
} from '@app/event-sourcing';
import { hmacProof } from '@app/platform/lifecycle/system-environment';
import { dataKeyContext } from './data-key-context';
import { DamagedSecretError, type SecretCipher, WrongMasterKeyError } from './secret-cipher';

/** The keys by id, each as a master key opened it. */
export type OpenedKeys = ReadonlyMap<string, KeyObject>;

/**
 * The data keys in the events of the stream `keys`, which prove themselves: only whoever has the master key can encrypt
 * a key, and the events carry MACs under these keys. Events that no key proves are ignored.
 *
 * @throws WrongMasterKeyError, DamagedSecretError if a key does not open.
 */
export function readDataKeys(
  recorded: readonly RecordedEvent[],
  cipher: SecretCipher,
): { readonly state: DataKeys; readonly open: OpenedKeys } {
  const opened = openedBy(cipher, recorded);
  const { schemas, passesOverForeign, initialState } = dataKeyDecider;
  const events = readHistory<DataKeyEvent>(marked(recorded, opened), schemas, { passesOverForeign });
  const state = events.reduce((keys, event) => dataKeyDecider.evolve(keys, event), initialState);
  const open = new Map(
    state.map(({ keyId, wrapped }) => [keyId, createSecretKey(cipher.decrypt(wrapped, dataKeyContext(keyId)))]),
  );
  return { state, open };
}

/** Whether the event carries the MAC and the hash that its content has under the key. */
export function provenBy(key: KeyObject, event: RecordedEvent, metadata: EventMetadata): Verdict {
  const { mac, hash } = hmacProof(contentParts({ ...event, metadata }), metadata.macKeyId, key);
  if (metadata.mac !== mac) return { kind: 'FORGED', reason: 'its MAC is not that of its content' };
  if (metadata.hash !== hash) return { kind: 'FORGED', reason: 'its hash is not that of its content and MAC' };
  return { kind: 'PROVEN' };
}

/** Every key that a master key opens, whoever wrote the event: nobody else can have encrypted it. */
function openedBy(cipher: SecretCipher, recorded: readonly RecordedEvent[]): OpenedKeys {
  const open = new Map<string, KeyObject>();
  let failure: Error | null = null;
  for (const event of recorded) {
    const { keyId, wrapped } = dataOf(event);
    if (keyId === undefined || wrapped === undefined) continue;
    try {
      open.set(keyId, createSecretKey(cipher.decrypt(wrapped, dataKeyContext(keyId))));
    } catch (error) {
      if (!(error instanceof WrongMasterKeyError || error instanceof DamagedSecretError)) throw error;
      failure ??= error;
    }
  }
  if (open.size === 0 && failure !== null) throw failure;
  return open;
}

/** The events with those marked that no key proves, or only one that had been retired. */
function marked(recorded: readonly RecordedEvent[], open: OpenedKeys): readonly RecordedEvent[] {
  const retired = new Set<string>();
  return recorded.map((event) => {
    const metadata = ownMetadata(event);
    if (metadata === null) return event;
    const key = retired.has(metadata.macKeyId) ? undefined : open.get(metadata.macKeyId);
    if (key === undefined) return { ...event, forgery: 'no key in use proves it' };
    const verdict = provenBy(key, event, metadata);
    if (verdict.kind === 'FORGED') return { ...event, forgery: verdict.reason };
    const { keyId } = dataOf(event);
    if (event.type === 'DataKeyRetired' && keyId !== undefined) retired.add(keyId);
    return event;
  });
}

/** Of any event, also of a foreign one. */
function dataOf(event: RecordedEvent): { readonly keyId?: string; readonly wrapped?: EncryptedSecret } {
  if (ownMetadata(event) === null) return {};
  try {
    const { keyId, wrapped } = JSON.parse(event.data) as { keyId?: unknown; wrapped?: unknown };
    return {
      ...(typeof keyId === 'string' ? { keyId } : {}),
      ...(isEncryptedSecret(wrapped) ? { wrapped } : {}),
    };
  } catch {
    return {};
  }
}

function isEncryptedSecret(value: unknown): value is EncryptedSecret {
  if (typeof value !== 'object' || value === null) return false;
  const { keyId, iv, ciphertext, tag } = value as Partial<Record<keyof EncryptedSecret, unknown>>;
  return [keyId, iv, ciphertext, tag].every((part) => typeof part === 'string');
}
