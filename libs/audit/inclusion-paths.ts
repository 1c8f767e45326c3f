import { nodeHash } from './merkle-tree';

/** A leaf whose path to the root is wanted. */
export interface TrackedLeaf<T> {
  readonly what: T;
  readonly index: number;
  /** The siblings from the leaf up to the root, as RFC 6962 orders them. */
  readonly path: Buffer[];
}

interface Subtree<T> {
  readonly size: number;
  readonly root: Buffer;
  readonly tracked: readonly TrackedLeaf<T>[];
}

/**
 * Finds inclusion paths in one pass over the leaves. Only the perfect subtrees and the wanted leaves are kept: what
 * stands to the left of a leaf is known when it is added, and what stands to its right is met later.
 */
export class InclusionPaths<T> {
  private readonly subtrees: Subtree<T>[] = [];
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** @param what set for a leaf whose path is wanted. */
  add(leaf: Buffer, what: T | null): void {
    const tracked = what === null ? [] : [{ what, index: this.count, path: [] }];
    let own: Subtree<T> = { size: 1, root: leaf, tracked };
    for (let left = this.subtrees.at(-1); left?.size === own.size; left = this.subtrees.at(-1)) {
      this.subtrees.pop();
      own = joined(left, own);
    }
    this.subtrees.push(own);
    this.count += 1;
  }

  /** The paths in the tree of all leaves so far, and its root. Ends the pass. */
  finish(): { readonly root: Buffer | null; readonly leaves: readonly TrackedLeaf<T>[] } {
    const last = this.subtrees.pop();
    if (last === undefined) return { root: null, leaves: [] };
    const whole = this.subtrees.splice(0).reduceRight((right, left) => joined(left, right), last);
    return { root: whole.root, leaves: whole.tracked };
  }
}

function joined<T>(left: Subtree<T>, right: Subtree<T>): Subtree<T> {
  for (const { path } of left.tracked) path.push(right.root);
  for (const { path } of right.tracked) path.push(left.root);
  const tracked = right.tracked.length === 0 ? left.tracked : [...left.tracked, ...right.tracked];
  return { size: left.size + right.size, root: nodeHash(left.root, right.root), tracked };
}
