const FIRST_CAPACITY = 1_024;
const HASH_BYTES = 32;

/** The last event that was read of a stream. */
export interface StreamEnd {
  readonly revision: number;
  /** The hash that the stream's next event has to name; empty if there is none. */
  readonly hash: string;
  /** Which leaf of the tree it is, counted from 0. */
  readonly leaf: number;
}

/**
 * The end of every stream that was met. The only memory of a verification that grows with the log: about 150 bytes a
 * stream, so that a million streams take 150 MB.
 */
export class StreamTable {
  private readonly rows = new Map<string, number>();
  private revisions = new Float64Array(FIRST_CAPACITY);
  private leaves = new Float64Array(FIRST_CAPACITY);
  private hashes = Buffer.alloc(FIRST_CAPACITY * HASH_BYTES);

  get size(): number {
    return this.rows.size;
  }

  get(streamId: string): StreamEnd | null {
    const row = this.rows.get(streamId);
    return row === undefined ? null : this.at(row);
  }

  /** @param hash 64 hexadecimal digits, or empty; anything else counts as empty. */
  set(streamId: string, { revision, hash, leaf }: StreamEnd): void {
    let row = this.rows.get(streamId);
    if (row === undefined) {
      row = this.rows.size;
      this.rows.set(streamId, row);
      if (row === this.revisions.length) this.grow();
    }
    this.revisions[row] = revision;
    this.leaves[row] = leaf;
    this.hashes.fill(0, row * HASH_BYTES, (row + 1) * HASH_BYTES);
    this.hashes.write(hash, row * HASH_BYTES, HASH_BYTES, 'hex');
  }

  *entries(): IterableIterator<readonly [string, StreamEnd]> {
    for (const [streamId, row] of this.rows) yield [streamId, this.at(row)];
  }

  private at(row: number): StreamEnd {
    const hash = this.hashes.toString('hex', row * HASH_BYTES, (row + 1) * HASH_BYTES);
    return { revision: this.revisions[row] ?? -1, leaf: this.leaves[row] ?? -1, hash: hash === NONE ? '' : hash };
  }

  private grow(): void {
    const capacity = this.revisions.length * 2;
    const [revisions, leaves] = [new Float64Array(capacity), new Float64Array(capacity)];
    revisions.set(this.revisions);
    leaves.set(this.leaves);
    this.revisions = revisions;
    this.leaves = leaves;
    this.hashes = Buffer.concat([this.hashes, Buffer.alloc(this.hashes.length)]);
  }
}

const NONE = '0'.repeat(2 * HASH_BYTES);
