import {
  type HistorySealed,
  type LastSeal,
  type Seal,
  sealDecider,
  type SealEvent,
  sealSchemas,
} from '@app/audit/domain';
import { SEALS_STREAM_ID } from '@app/audit/domain';
import { type CommandHandling, type EventStore, type Loaded, readEvent } from '@app/event-sourcing';
import { MerkleTree } from '@app/audit/merkle-tree';
import { isSigned, publicKeyFrom, sealText } from '@app/audit/signatures';
import { leavesAfter } from './next-leaves';
import type { SealingKeys } from './sealing-keys';

/** Seals are looked for from the end of their stream, this many events at a time. */
const LOOK_BACK_EVENTS = 10;

/** The log is not the one that the last seal was made of. Nothing is sealed over it. */
export class SealContradictedError extends Error {
  constructor(reason: string) {
    super(`The log contradicts its last seal: ${reason}`);
    this.name = 'SealContradictedError';
  }
}

/** Where sealing goes on. */
export interface SealedSoFar {
  /** Over all leaves that are sealed. */
  readonly tree: MerkleTree;
  /** The log is sealed up to here; null if nothing is. */
  readonly position: bigint | null;
  readonly loaded: Loaded<LastSeal>;
}

export interface LastSealDependencies {
  readonly eventStore: Pick<EventStore, 'readStream' | 'readAll'>;
  readonly handling: CommandHandling;
  readonly keys: SealingKeys;
}

/**
 * Finds the last seal, checks its signature, and checks that the log still holds the events that it added to the tree.
 *
 * @throws SealContradictedError, DamagedHistoryError, EventStoreUnavailableError
 */
export async function sealedSoFar(deps: LastSealDependencies): Promise<SealedSoFar> {
  const loaded = await deps.handling.load(sealDecider, SEALS_STREAM_ID);
  const [last, before] = await latestSeals(deps, loaded.last?.revision ?? -1);
  if (last === undefined) return { tree: new MerkleTree(), position: null, loaded };
  checkSignature(last, deps.keys);
  const tree = before === undefined ? new MerkleTree() : MerkleTree.of(before);
  const after = before === undefined ? null : BigInt(before.position);
  for await (const { leaf, treeLeaf } of leavesAfter(deps.eventStore, after, last.size - tree.size)) {
    tree.add(treeLeaf);
    if (tree.size < last.size) continue;
    const { streamId, revision, hash } = last.lastLeaf;
    if (leaf.streamId !== streamId || leaf.revision !== revision || leaf.hash !== hash) {
      throw new SealContradictedError(`its last event, ${streamId} at revision ${revision}, is not where it was`);
    }
  }
  if (tree.size < last.size) throw new SealContradictedError(`it covers ${last.size - tree.size} more events`);
  if (tree.root !== last.root) throw new SealContradictedError('the events since the seal before it are others');
  return { tree, position: BigInt(last.position), loaded };
}

/** The last seal and the one before it, as far as there are any. */
async function latestSeals(
  { eventStore }: Pick<LastSealDependencies, 'eventStore'>,
  lastRevision: number,
): Promise<readonly Seal[]> {
  const seals: Seal[] = [];
  for (let from = lastRevision; from >= 0 && seals.length < 2; from -= LOOK_BACK_EVENTS) {
    const options = { direction: 'backwards', from, maxCount: LOOK_BACK_EVENTS } as const;
    const recorded = await eventStore.readStream(SEALS_STREAM_ID, options);
    const events = recorded.map((one) => readEvent<SealEvent>(one, sealSchemas));
    seals.push(...events.filter((event) => event.type === 'HistorySealed').map(({ data }) => data));
  }
  return seals.slice(0, 2);
}

function checkSignature(seal: HistorySealed['data'], keys: SealingKeys): void {
  const key = keys.all().find(({ keyId }) => keyId === seal.keyId);
  const publicKey = key === undefined ? null : publicKeyFrom(key.publicKey);
  if (publicKey === null) throw new SealContradictedError(`this installation does not have its key ${seal.keyId}`);
  if (!isSigned(sealText(seal), seal.signature, publicKey)) throw new SealContradictedError('its signature is wrong');
}
