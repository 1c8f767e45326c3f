import { type Seal, SEALS_STREAM_ID } from '@app/audit/domain';
import { DELETION, type EventMetadata, type RecordedEvent } from '@app/event-sourcing';
import { type Leaf, leafOf, treeLeaf } from '@app/audit/leaf';
import { MerkleTree } from '@app/audit/merkle-tree';
import { isKnownEvent, isSealedStream } from '@app/audit/own-streams';
import { problemsOfEvent } from './event-checks';
import { type Finding, Findings } from './findings';
import { compareWithSeal, otherStreamEnds, unnamedDifference } from './sealed-range';
import { SealChain } from './seal-chain';
import { StreamTable } from './stream-table';
import type { TrustedHead } from './trusted-head';
import { UnsealedLeaves } from './unsealed-leaves';
import type { VerificationState } from './verification-state';

export interface VerificationOptions {
  /** Raw, base64; null to take the log's word for its keys. */
  readonly publicKey: string | null;
  readonly trustedHead: TrustedHead | null;
  /** Whether positions are 1, 2, 3 and so on, so that a gap is a loss. */
  readonly isGapless: boolean;
  /** Why the event's MAC does not hold; null if it does. Absent without the keys. */
  readonly macProblem?: ((event: RecordedEvent, metadata: EventMetadata) => string | null) | undefined;
}

/** An event that only a newer release can verify. Nothing is said of the events after it. */
export class NewerEventError extends Error {}

/** Verifies a log, event by event, in its order. */
export class Verification {
  readonly findings: Findings;
  readonly streams: StreamTable;
  readonly seals: SealChain;
  readonly unsealed: UnsealedLeaves;
  private tree: MerkleTree;
  private events = 0;
  private leaves = 0;
  private others = 0;
  private lastPosition: bigint | null = null;
  private gap: { readonly from: string; readonly to: string } | null = null;
  private headIsMet = false;
  /** How many findings there were at the last seal. */
  private foundBefore = 0;

  constructor(
    private readonly options: VerificationOptions,
    state?: VerificationState,
    streams = new StreamTable(),
  ) {
    this.streams = streams;
    this.findings = new Findings(state?.findings);
    this.seals = new SealChain(options.publicKey ?? options.trustedHead?.publicKey ?? null, state?.seals);
    this.tree = state === undefined ? new MerkleTree() : MerkleTree.of(state.tree);
    this.unsealed = state === undefined ? new UnsealedLeaves() : UnsealedLeaves.of(state.unsealed);
    if (state === undefined) return;
    ({ events: this.events, leaves: this.leaves, others: this.others, gap: this.gap } = state);
    ({ headIsMet: this.headIsMet, foundBefore: this.foundBefore } = state);
    this.lastPosition = state.position === null ? null : BigInt(state.position);
  }

  /** @throws NewerEventError, which is a finding too */
  take(event: RecordedEvent): void {
    this.events += 1;
    this.checkPosition(event);
    if (event.type === DELETION) return this.takeDeletion(event);
    if (event.streamId === SEALS_STREAM_ID) return this.takeSealEvent(event);
    if (!isSealedStream(event.streamId)) {
      this.others += 1;
      return;
    }
    this.check(event);
  }

  /** What only the end of the log tells. */
  finish(): void {
    this.tellGap();
    const { trustedHead, publicKey } = this.options;
    const { size, seals, isAnchored } = this.seals.state;
    const ofLog = { streamId: null, revision: null, position: null };
    if (trustedHead !== null && !this.headIsMet && size < trustedHead.size) {
      const reason = `its seals cover ${size} events; those of ${trustedHead.sealedAt} covered ${trustedHead.size}`;
      this.findings.add({ kind: 'CUT', ...ofLog, reason });
    }
    if (seals === 0 && this.leaves > 0) {
      const reason = 'there is no seal: chains alone show no change by somebody who computes hashes anew';
      this.findings.add({ kind: 'UNSEALED', ...ofLog, reason });
    }
    if (seals > 0 && !isAnchored && (publicKey !== null || trustedHead !== null)) {
      const reason = 'no seal is signed with the given key, or with one that it introduced';
      this.findings.add({ kind: 'SEAL_FORGED', ...ofLog, streamId: SEALS_STREAM_ID, reason });
    }
  }

  get progress() {
    const { events, leaves, others, lastPosition, streams, unsealed, tree } = this;
    const { root, size } = tree;
    return {
      events,
      leaves,
      others,
      position: lastPosition,
      streams: streams.size,
      unsealed: unsealed.length,
      root,
      size,
    };
  }

  get state(): VerificationState {
    const { events, leaves, others, gap, headIsMet, foundBefore, lastPosition, tree } = this;
    return {
      ...{ events, leaves, others, gap, headIsMet, foundBefore },
      position: lastPosition === null ? null : String(lastPosition),
      findings: this.findings.state,
      seals: this.seals.state,
      tree: { size: tree.size, peaks: tree.peaks },
      unsealed: this.unsealed.state,
    };
  }

  private checkPosition({ position, streamId, revision }: RecordedEvent): void {
    const last = this.lastPosition;
    this.lastPosition = position;
    if (!this.options.isGapless || position === (last ?? 0n) + 1n) return;
    if (position < 1n) {
      const reason = `it stands at position ${position}, where the service writes nothing`;
      this.findings.add({ kind: 'FORGED', streamId, revision, position: String(position), reason });
      this.lastPosition = 0n;
      return;
    }
    this.gap ??= { from: String((last ?? 0n) + 1n), to: String(position - 1n) };
  }

  private takeDeletion({ streamId, position }: RecordedEvent): void {
    if (streamId !== SEALS_STREAM_ID && !isSealedStream(streamId)) return;
    const reason = 'events of it were deleted or hidden in the event store';
    this.findings.add({ kind: 'MISSING', streamId, revision: 0, position: String(position), reason });
  }

  /** @returns whether nothing is wrong with it. */
  private check(event: RecordedEvent, isSeal = false): boolean {
    const { streamId, revision } = event;
    const position = String(event.position);
    const leaf = leafOf(event);
    const end = this.streams.get(streamId);
    const problems = problemsOfEvent(event, leaf, end, end !== null && end.leaf < this.leaves - this.unsealed.length);
    const isBad = ({ kind }: Pick<Finding, 'kind'>) => isSeal && (kind === 'CHANGED' || kind === 'FORGED');
    for (const problem of problems) {
      this.findings.add({ streamId, position, ...problem, kind: isBad(problem) ? 'SEAL_FORGED' : problem.kind });
      if (problem.kind === 'MISSING') this.gap = null;
    }
    this.note(event, leaf, end, isSeal);
    if (problems.length > 0 || leaf.metadata === null) return false;
    const { schemaVersion } = leaf.metadata;
    if (!isKnownEvent(streamId, event.type, schemaVersion)) {
      const reason = `${event.type}, version ${schemaVersion}, is of a newer release: verify with that`;
      this.findings.add({ kind: 'NEWER', streamId, revision, position, reason });
      throw new NewerEventError(reason);
    }
    const forgery = this.options.macProblem?.(event, leaf.metadata) ?? null;
    if (forgery !== null) this.findings.add({ kind: 'FORGED', streamId, revision, position, reason: forgery });
    return forgery === null;
  }

  private note(event: RecordedEvent, leaf: Leaf, end: ReturnType<StreamTable['get']>, isSeal: boolean): void {
    const hash = leaf.metadata?.hash ?? end?.hash ?? '';
    this.streams.set(event.streamId, { revision: event.revision, hash, leaf: isSeal ? -1 : this.leaves });
    if (isSeal) return;
    this.unsealed.push(treeLeaf(leaf));
    this.leaves += 1;
  }

  private takeSealEvent(event: RecordedEvent): void {
    const previousSeal = this.streams.get(SEALS_STREAM_ID)?.hash ?? '';
    if (!this.check(event, true)) return;
    const seal = this.seals.take(event, previousSeal);
    if (seal === null) return;
    const place = { streamId: SEALS_STREAM_ID, revision: event.revision, position: String(event.position) };
    if ('problem' in seal) return this.findings.add({ kind: 'SEAL_FORGED', ...place, reason: seal.problem });
    this.compare(seal, place.position);
    this.compareWithHead(seal, place);
    this.foundBefore = this.findings.total;
  }

  private compare(seal: Seal, position: string): void {
    const before = this.tree.size;
    const range = compareWithSeal(seal, this.tree, this.unsealed);
    this.tree = range.tree;
    for (const { streamId, revision } of seal.refused) {
      const reason = 'the service itself did not accept it when it was sealed';
      this.findings.add({ kind: 'FORGED', streamId, revision, position, reason });
    }
    if (range.isSealed) return this.tellGap();
    const ends = otherStreamEnds(seal, this.streams);
    for (const finding of ends) this.findings.add({ ...finding, position });
    if (ends.length === 0 && this.findings.total === this.foundBefore) {
      this.findings.add({ ...unnamedDifference(seal, before, range), position });
    }
    if (this.findings.total > this.foundBefore) this.gap = null;
  }

  private compareWithHead(seal: Seal, place: Pick<Finding, 'streamId' | 'revision' | 'position'>): void {
    const { trustedHead } = this.options;
    if (trustedHead === null || this.headIsMet || seal.size < trustedHead.size) return;
    this.headIsMet = true;
    if (seal.size === trustedHead.size && seal.root === trustedHead.root) return;
    const reason = `the first ${trustedHead.size} events are not those that were sealed on ${trustedHead.sealedAt}`;
    this.findings.add({ kind: 'REWRITTEN', ...place, reason });
  }

  /** Tells of events that are gone, where no stream could be named. */
  private tellGap(): void {
    if (this.gap === null) return;
    const { from, to } = this.gap;
    const reason =
      from === to ? `position ${from} of the log is empty` : `positions ${from} to ${to} of the log are empty`;
    this.findings.add({ kind: 'MISSING', streamId: null, revision: null, position: from, reason });
    this.gap = null;
  }
}
