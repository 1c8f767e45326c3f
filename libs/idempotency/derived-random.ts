import { createHmac, type KeyObject } from 'node:crypto';
import type { Random } from '@app/event-sourcing';

/**
 * Bytes that nobody can guess without the key, and the same each time: whatever a request generates, such as a token,
 * is generated again by its repeat. HMAC-SHA256 in counter mode.
 */
export class DerivedRandom implements Random {
  private used = 0;

  constructor(
    private readonly key: KeyObject,
    private readonly purpose: string,
  ) {}

  uuid(): string {
    const bytes = this.bytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = Buffer.from(bytes).toString('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  bytes(length: number): Uint8Array {
    const parts: Buffer[] = [];
    for (let have = 0; have < length; have += 32) {
      parts.push(createHmac('sha256', this.key).update(`${this.used}:${this.purpose}`).digest());
      this.used += 1;
    }
    return new Uint8Array(Buffer.concat(parts).subarray(0, length));
  }

  fraction(): number {
    return Buffer.from(this.bytes(6)).readUIntBE(0, 6) / 2 ** 48;
  }
}
