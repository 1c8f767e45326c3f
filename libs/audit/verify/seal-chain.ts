import type { KeyIntroduction, Seal } from '@app/audit/domain';
import type { RecordedEvent } from '@app/event-sourcing';
import { MerkleTree, peakCount } from '@app/audit/merkle-tree';
import { introductionText, isSigned, publicKeyFrom, sealKeyId, sealText } from '@app/audit/signatures';
import { introductionIn, sealIn } from './read-seals';

/** What is known of the seals that were read. */
export interface SealChainState {
  /** The key that signs now, raw, base64; null before the first one. */
  readonly publicKey: string | null;
  /** Whether the auditor's key was met, or none was given. */
  readonly isAnchored: boolean;
  readonly size: number;
  readonly seals: number;
  readonly sealedAt: string | null;
  /** Seals with an earlier time than the one before: the clock was set back. */
  readonly clockSteps: number;
}

export const NO_SEALS: SealChainState = {
  publicKey: null,
  isAnchored: false,
  size: 0,
  seals: 0,
  sealedAt: null,
  clockSteps: 0,
};

/** Checks that each seal follows on the one before it, is signed, and is a possible one. Not what it covers. */
export class SealChain {
  constructor(
    /** The auditor's key, raw, base64; null to take the log's word. */
    private readonly anchor: string | null,
    private current: SealChainState = NO_SEALS,
  ) {}

  get state(): SealChainState {
    return this.current;
  }

  /** @param previousSeal the hash of the event before it in the stream. @returns the seal, why it is none, or null for a key. */
  take(event: RecordedEvent, previousSeal: string): Seal | { readonly problem: string } | null {
    if (event.type === 'SealKeyIntroduced') {
      const introduction = introductionIn(event.data);
      if (introduction === null) return { problem: 'it is not written as the introduction of a key is' };
      const problem = this.introduce(introduction, previousSeal);
      return problem === null ? null : { problem };
    }
    const seal = event.type === 'HistorySealed' ? sealIn(event.data) : null;
    if (seal === null) return { problem: 'it is not written as a seal is' };
    const problem = this.problemOf(seal, previousSeal);
    if (problem !== null) return { problem };
    const { seals, sealedAt: before, clockSteps } = this.current;
    const { size, sealedAt } = seal;
    const steps = clockSteps + (before !== null && sealedAt < before ? 1 : 0);
    this.current = { ...this.current, size, sealedAt, seals: seals + 1, clockSteps: steps };
    return seal;
  }

  private introduce(introduction: KeyIntroduction, previousSeal: string): string | null {
    const { publicKey: raw, keyId, previousKeyId, signature, previousSignature } = introduction;
    const { publicKey } = this.current;
    const key = publicKeyFrom(raw);
    if (key === null || sealKeyId(raw) !== keyId) return 'the id of the key is not that of the key';
    if (introduction.previousSeal !== previousSeal) return 'it does not follow on the seal before it';
    const text = introductionText(introduction);
    if (!isSigned(text, signature, key)) return 'the signature under the new key is wrong';
    if (publicKey === null) {
      if (previousKeyId !== null) return 'it replaces a key that was never introduced';
    } else {
      const previous = publicKeyFrom(publicKey);
      if (previousKeyId !== sealKeyId(publicKey)) return 'it replaces another key than the one that signs';
      if (previous === null || previousSignature === null || !isSigned(text, previousSignature, previous)) {
        return 'the signature under the key that it replaces is wrong';
      }
    }
    const isAnchored = this.current.isAnchored || this.anchor === null || this.anchor === raw;
    this.current = { ...this.current, publicKey: raw, isAnchored };
    return null;
  }

  private problemOf(seal: Seal, previousSeal: string): string | null {
    const key = this.current.publicKey === null ? null : publicKeyFrom(this.current.publicKey);
    if (seal.previousSeal !== previousSeal) return 'it does not follow on the seal before it';
    if (key === null || seal.keyId !== sealKeyId(this.current.publicKey ?? '')) {
      return 'its key is not the one that was introduced last';
    }
    if (!isSigned(sealText(seal), seal.signature, key)) return 'its signature is wrong';
    if (seal.size <= this.current.size) return 'it covers no more than the seal before it';
    const isTree = seal.peaks.length === peakCount(seal.size) && MerkleTree.of(seal).root === seal.root;
    return isTree ? null : 'its subtrees do not have its root';
  }
}
