import type { Seal } from '@app/audit/domain';
import { treeLeaf } from '@app/audit/leaf';
import { MerkleTree } from '@app/audit/merkle-tree';
import type { Finding } from './findings';
import type { StreamTable } from './stream-table';
import type { UnsealedLeaves } from './unsealed-leaves';

/** What a seal was compared with. */
export interface SealedRange {
  readonly isSealed: boolean;
  /** The tree to go on with: that of the seal, so that later damage is found for itself. */
  readonly tree: MerkleTree;
  /** How many leaves were there in place of those that the seal added. */
  readonly found: number;
  /** How many there were at most, with those stored just before the seal was. */
  readonly available: number;
}

/** Compares the leaves since the seal before with the seal, and takes them from `unsealed`. */
export function compareWithSeal(seal: Seal, tree: MerkleTree, unsealed: UnsealedLeaves): SealedRange {
  const wanted = seal.size - tree.size;
  const last = unsealed.indexOf(treeLeaf(seal.lastLeaf), wanted - 1);
  const found = last === -1 ? Math.min(wanted, unsealed.length) : last + 1;
  const available = unsealed.length;
  const own = MerkleTree.of(tree);
  for (let index = 0; index < found; index += 1) own.add(Buffer.from(unsealed.at(index)));
  unsealed.drop(found);
  const isSealed = own.size === seal.size && own.root === seal.root;
  return { isSealed, tree: isSealed ? own : MerkleTree.of(seal), found, available };
}

/** The streams whose end is not the one that the seal names. */
export function otherStreamEnds(seal: Seal, streams: StreamTable): readonly Omit<Finding, 'position'>[] {
  return seal.streamEnds.flatMap(({ streamId, revision, hash }): Omit<Finding, 'position'>[] => {
    const end = streams.get(streamId);
    const sealed = `the seal of ${seal.sealedAt} counted it up to revision ${revision}`;
    if (end === null)
      return [{ kind: 'MISSING', streamId, revision: 0, reason: `the whole stream is gone: ${sealed}` }];
    if (end.revision < revision) {
      const reason = `it ends at revision ${end.revision}, and ${sealed}`;
      return [{ kind: 'CUT', streamId, revision: end.revision + 1, reason }];
    }
    if (end.revision > revision || end.hash.startsWith(hash)) return [];
    const reason = `it, or an event before it, is not what the seal of ${seal.sealedAt} covers`;
    return [{ kind: 'CHANGED', streamId, revision, reason }];
  });
}

/** Where no stream can be named. */
export function unnamedDifference(seal: Seal, before: number, range: SealedRange): Omit<Finding, 'position'> {
  const { found, available } = range;
  const where = `between the events ${before + 1} and ${seal.size} of the seal of ${seal.sealedAt}`;
  const wanted = seal.size - before;
  const none = { streamId: null, revision: null };
  if (found > wanted) return { kind: 'FORGED', ...none, reason: `${found - wanted} events were added ${where}` };
  if (available < wanted) return { kind: 'MISSING', ...none, reason: `${wanted - available} events are gone ${where}` };
  return { kind: 'REORDERED', ...none, reason: `the order of the log is another one ${where}` };
}
