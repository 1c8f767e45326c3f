import { isUuid } from '@app/stores/sqlite';
import { UUID } from '@eventstore/db-client/generated/shared_pb';

/** How a client wants UUIDs to be formatted. */
export type UuidFormat = 'string' | 'structured';

const HALF_BITS = 64;

/** The 36-character form, lower case; null if it is no UUID. */
export function readUuid(message: UUID | undefined): string | null {
  if (message === undefined) return null;
  const structured = message.getStructured();
  if (structured !== undefined) {
    return join(BigInt(structured.getMostSignificantBits()), BigInt(structured.getLeastSignificantBits()));
  }
  return parseUuid(message.getString());
}

export const NO_UUID = '00000000-0000-0000-0000-000000000000';

/** .NET's other forms: without dashes; with dashes in braces or parentheses; and the parts as hexadecimal numbers. */
const WITHOUT_DASHES = /^[0-9a-f]{32}$/;
const ENCLOSED = /^(?:\{(.{36})\}|\((.{36})\))$/;
const IN_NUMBERS =
  /^\{0x([0-9a-f]{1,8}),0x([0-9a-f]{1,4}),0x([0-9a-f]{1,4}),\{(0x[0-9a-f]{1,2}(?:,0x[0-9a-f]{1,2}){7})\}\}$/;

/** Every form that `Guid.Parse` accepts. */
function parseUuid(given: string): string | null {
  if (isUuid(given)) return given.toLowerCase();
  const text = given.trim().toLowerCase();
  if (WITHOUT_DASHES.test(text)) return withDashes(text);
  const [, inBraces, inParentheses] = ENCLOSED.exec(text) ?? [];
  const enclosed = inBraces ?? inParentheses ?? text;
  if (isUuid(enclosed)) return enclosed;
  const [, a, b, c, rest] = IN_NUMBERS.exec(text.replaceAll(/\s/g, '')) ?? [];
  if (a === undefined || b === undefined || c === undefined || rest === undefined) return null;
  const bytes = rest.split(',').map((byte) => byte.slice('0x'.length).padStart(2, '0'));
  return withDashes(`${a.padStart(8, '0')}${b.padStart(4, '0')}${c.padStart(4, '0')}${bytes.join('')}`);
}

function withDashes(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
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
  return withDashes([high, low].map((half) => BigInt.asUintN(HALF_BITS, half).toString(16).padStart(16, '0')).join(''));
}
