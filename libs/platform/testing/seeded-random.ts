import { Random } from '@app/event-sourcing';

/** The same seed gives the same values in the same order. Not suitable for secrets. */
export class SeededRandom extends Random {
  #state: number;

  constructor(seed = 1) {
    super();
    this.#state = seed >>> 0;
  }

  override uuid(): string {
    const bytes = this.bytes(16);
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const hex = Buffer.from(bytes).toString('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  override bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.#next() >>> 24);
  }

  override fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** mulberry32: 32 well-mixed bits per call. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
}
