const HASH_BYTES = 32;
const FIRST_CAPACITY = 2_048;

/** The leaves that no seal was met for yet, in order: as many as the service stores until it seals again. */
export class UnsealedLeaves {
  private bytes = Buffer.alloc(FIRST_CAPACITY * HASH_BYTES);
  private begin = 0;
  private end = 0;

  static of(leaves: string): UnsealedLeaves {
    const all = new UnsealedLeaves();
    const bytes = Buffer.from(leaves, 'hex');
    for (let at = 0; at < bytes.length; at += HASH_BYTES) all.push(bytes.subarray(at, at + HASH_BYTES));
    return all;
  }

  get length(): number {
    return (this.end - this.begin) / HASH_BYTES;
  }

  push(leaf: Buffer): void {
    if (this.end === this.bytes.length) this.makeRoom();
    leaf.copy(this.bytes, this.end);
    this.end += HASH_BYTES;
  }

  /** The index of the leaf, first looked for at `likely`; -1 if it is not there. */
  indexOf(leaf: Buffer, likely: number): number {
    if (likely >= 0 && likely < this.length && this.at(likely).equals(leaf)) return likely;
    for (let index = 0; index < this.length; index += 1) if (this.at(index).equals(leaf)) return index;
    return -1;
  }

  at(index: number): Buffer {
    const from = this.begin + index * HASH_BYTES;
    return this.bytes.subarray(from, from + HASH_BYTES);
  }

  drop(count: number): void {
    this.begin += count * HASH_BYTES;
    if (this.begin === this.end) this.begin = this.end = 0;
  }

  /** Hexadecimal. */
  get state(): string {
    return this.bytes.toString('hex', this.begin, this.end);
  }

  private makeRoom(): void {
    const used = this.end - this.begin;
    const bytes = used * 2 > this.bytes.length ? Buffer.alloc(this.bytes.length * 2) : this.bytes;
    this.bytes.copy(bytes, 0, this.begin, this.end);
    this.bytes = bytes;
    this.begin = 0;
    this.end = used;
  }
}
