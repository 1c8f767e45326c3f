const BITS = 32;

/** A part of all keys: those whose hash begins with certain bits. */
export class KeySlice {
  static readonly ALL = new KeySlice(0, 0);

  private constructor(
    private readonly bits: number,
    private readonly prefix: number,
  ) {}

  has(key: string): boolean {
    return this.bits === 0 || hashOf(key) >>> (BITS - this.bits) === this.prefix;
  }

  /** Null for a slice that cannot be halved any more. */
  halves(): readonly [KeySlice, KeySlice] | null {
    if (this.bits === BITS) return null;
    const [bits, prefix] = [this.bits + 1, this.prefix * 2];
    return [new KeySlice(bits, prefix), new KeySlice(bits, prefix + 1)];
  }
}

/** FNV-1a with a final mix, so that the first bits depend on all characters. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
