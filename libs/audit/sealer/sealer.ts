import { type KeyIntroduction, type LeafFacts, type Seal, SEALS_STREAM_ID } from '@app/audit/domain';
import { type SealCommand, sealDecider } from '@app/audit/domain';
import { type Clock, type CommandHandling, type EventStore, isoTime, type Random } from '@app/event-sourcing';
import { type RecordedEvent, recordedAtMs } from '@app/event-sourcing';
import { MerkleTree } from '@app/audit/merkle-tree';
import { hashStart, introductionText, sealText, signed } from '@app/audit/signatures';
import { sealedSoFar, type SealedSoFar } from './last-seal';
import { leavesAfter, type NextLeaf } from './next-leaves';
import type { SealingKeys } from './sealing-keys';

/** Bounds the size of a seal, which names the end of each of its streams. */
export const MAX_LEAVES = 1_000;
const ACTOR = 'worker:sealer';

export interface SealerDependencies {
  readonly eventStore: Pick<EventStore, 'readStream' | 'readAll'>;
  readonly handling: CommandHandling;
  readonly clock: Clock;
  readonly random: Random;
  readonly keys: SealingKeys;
  /** Whether the service itself does not take the event for its own. */
  readonly isRefused: (event: RecordedEvent) => boolean;
}

/** What came of one attempt. */
export interface SealingOutcome {
  readonly size: number;
  /** Whether there may be more to seal at once. */
  readonly isMore: boolean;
  /** Of the first leaf that was not sealed before; null if there was none. */
  readonly oldestAtMs: number | null;
  /** Null if nothing was sealed. */
  readonly sealedAt: string | null;
}

/**
 * Adds what is new in the log to the Merkle tree, and appends its signed head. If another sealer was faster, its seal
 * counts, and this one starts over from it.
 */
export class Sealer {
  private known: SealedSoFar | null = null;

  constructor(private readonly deps: SealerDependencies) {}

  /**
   * Seals at most `MAX_LEAVES` new events.
   *
   * @throws SealContradictedError, DamagedHistoryError, EventStoreUnavailableError, ContentionError
   */
  async seal(): Promise<SealingOutcome> {
    try {
      const known = (this.known ??= await sealedSoFar(this.deps));
      return await this.sealAfter(known);
    } catch (error) {
      // What was appended, if anything, is read again.
      this.known = null;
      throw error;
    }
  }

  private async sealAfter(known: SealedSoFar): Promise<SealingOutcome> {
    const leaves: NextLeaf[] = [];
    const reading = leavesAfter(this.deps.eventStore, known.position, MAX_LEAVES);
    let next = await reading.next();
    for (; next.done !== true; next = await reading.next()) leaves.push(next.value);
    const { size } = known.tree;
    const [first] = leaves;
    const last = leaves.at(-1);
    if (first === undefined || last === undefined) {
      this.known = { ...known, position: next.value.position };
      return { size, isMore: false, oldestAtMs: null, sealedAt: null };
    }
    const oldestAtMs = recordedAtMs(first.event);
    const ready = await this.withCurrentKey(known);
    if (ready === null) return { size, isMore: true, oldestAtMs, sealedAt: null };
    const tree = MerkleTree.of(ready.tree);
    for (const { treeLeaf } of leaves) tree.add(treeLeaf);
    const seal = this.signedSeal(ready, tree, leaves, last);
    const sealed = await this.append(ready, { type: 'SealHistory', seal });
    if (sealed === null) return { size, isMore: true, oldestAtMs, sealedAt: null };
    this.known = { tree, position: last.event.position, loaded: sealed.loaded };
    return { size: tree.size, isMore: leaves.length === MAX_LEAVES, oldestAtMs, sealedAt: seal.sealedAt };
  }

  private signedSeal({ loaded }: SealedSoFar, tree: MerkleTree, leaves: readonly NextLeaf[], last: NextLeaf): Seal {
    const [{ keyId, privateKey }] = this.deps.keys.all();
    const { streamId, revision, hash } = last.leaf;
    const seal = {
      size: tree.size,
      root: tree.root,
      lastLeaf: { streamId, revision, hash },
      position: String(last.event.position),
      peaks: tree.peaks,
      streamEnds: streamEnds(leaves),
      refused: leaves
        .filter(({ event, leaf }) => leaf.metadata === null || this.deps.isRefused(event))
        .map(({ leaf }) => ({ streamId: leaf.streamId, revision: leaf.revision })),
      previousSeal: loaded.state.hash,
      keyId,
      sealedAt: isoTime(this.deps.clock.nowMs()),
    };
    return { ...seal, signature: signed(sealText(seal), privateKey) };
  }

  /** Hands over to the current key if another one has sealed so far; null if another sealer was faster. */
  private async withCurrentKey(known: SealedSoFar): Promise<SealedSoFar | null> {
    const [current, ...older] = this.deps.keys.all();
    const { hash: previousSeal, keyId: previousKeyId } = known.loaded.state;
    if (current.keyId === previousKeyId) return known;
    const previous = older.find(({ keyId }) => keyId === previousKeyId);
    if (previousKeyId !== null && previous === undefined) throw new UnknownSealKeyError(previousKeyId);
    const { keyId, publicKey } = current;
    const introducedAt = isoTime(this.deps.clock.nowMs());
    const unsigned = { keyId, publicKey, previousKeyId, previousSeal, introducedAt };
    const text = introductionText(unsigned);
    const introduction: KeyIntroduction = {
      ...unsigned,
      signature: signed(text, current.privateKey),
      previousSignature: previous === undefined ? null : signed(text, previous.privateKey),
    };
    const introduced = await this.append(known, { type: 'IntroduceSealKey', introduction });
    return introduced === null ? null : { ...known, loaded: introduced.loaded };
  }

  private async append({ loaded }: SealedSoFar, command: SealCommand) {
    const context = { correlationId: this.deps.random.uuid(), causationId: null, actor: ACTOR };
    const handled = await this.deps.handling.handle(sealDecider, SEALS_STREAM_ID, command, context, loaded);
    if (handled.kind === 'accepted') return handled;
    this.known = null;
    return null;
  }
}

/** Seals were signed with a key that this installation does not have, so it cannot hand over to another one. */
export class UnknownSealKeyError extends Error {
  constructor(keyId: string) {
    super(`This installation does not have the seal key ${keyId}, and cannot hand over from it`);
    this.name = 'UnknownSealKeyError';
  }
}

/** In the order of the last leaves. */
function streamEnds(leaves: readonly NextLeaf[]): readonly LeafFacts[] {
  const ends = new Map<string, LeafFacts>();
  for (const { leaf } of leaves) {
    const { streamId, revision } = leaf;
    ends.delete(streamId);
    ends.set(streamId, { streamId, revision, hash: hashStart(leaf) });
  }
  return [...ends.values()];
}
