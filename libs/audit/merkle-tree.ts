import { hash } from 'node:crypto';

/** A Merkle tree by RFC 6962, of which only the roots of the perfect subtrees are kept: as many as its size has bits. */
export class MerkleTree {
  readonly #peaks: Buffer[];
  #size: number;

  /** @param peaks the largest subtree's root first, as `peaks` gives them for a tree of this size. */
  constructor(size = 0, peaks: readonly Buffer[] = []) {
    this.#size = size;
    this.#peaks = [...peaks];
  }

  static of({ size, peaks }: { readonly size: number; readonly peaks: readonly string[] }): MerkleTree {
    return new MerkleTree(
      size,
      peaks.map((peak) => Buffer.from(peak, 'hex')),
    );
  }

  get size(): number {
    return this.#size;
  }

  get peaks(): readonly string[] {
    return this.#peaks.map((peak) => peak.toString('hex'));
  }

  add(leaf: Buffer): void {
    let node = leaf;
    for (let full = this.#size; full % 2 === 1; full = Math.floor(full / 2)) {
      node = nodeHash(this.#peaks.pop() as Buffer, node);
    }
    this.#peaks.push(node);
    this.#size += 1;
  }

  /** Lower-case hex. */
  get root(): string {
    const last = this.#peaks.at(-1);
    if (last === undefined) return hash('sha256', '', 'hex');
    return this.#peaks
      .slice(0, -1)
      .reduceRight((right, left) => nodeHash(left, right), last)
      .toString('hex');
  }
}

/** The number of perfect subtrees of a tree of this size. */
export function peakCount(size: number): number {
  let count = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2;
  return count;
}

const LEAF = '\0';
const NODE = Buffer.from([1]);

export function leafHash(data: string): Buffer {
  return hash('sha256', LEAF + data, 'buffer');
}

export function nodeHash(left: Buffer, right: Buffer): Buffer {
  return hash('sha256', Buffer.concat([NODE, left, right], 65), 'buffer');
}
