import { isUuid } from '@app/storage/embedded';
import { UUID } from '@eventstore/db-client/generated/shared_pb';

/** How a client wants UUIDs to be written. */
export type UuidFormat = 'string' | 'structured';

const HALF_BITS = 64;

/** The 36-character form, lower case; null when it is none. */
export function readUuid(message: UUID | undefined): string | null {
  if (message === undefined) return null;
  const structured = message.getStructured();
  if (structured !== undefined) {
    return join(BigInt(structured.getMostSignificantBits()), BigInt(structured.getLeastSignificantBits()));
  }
  const text = message.getString();
  return isUuid(text) ? text.toLowerCase() : null;
}

export function writeUuid(uuid: string, format: UuidFormat): UUID {
  const message = new UUID();
  if (format === 'string') return message.setString(uuid);
  const hex = uuid.replaceAll('-', '');
  const structured = new UUID.Structured();
  structured.setMostSignificantBits(signed(hex.slice(0, 16)));
  structured.setLeastSignificantBits(signed(hex.slice(16)));
  return message.setStructured(structured);
}

function signed(hex: string): string {
  return String(BigInt.asIntN(HALF_BITS, BigInt(`0x${hex}`)));
}

function join(high: bigint, low: bigint): string {
  const hex = [high, low].map((half) => BigInt.asUintN(HALF_BITS, half).toString(16).padStart(16, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
