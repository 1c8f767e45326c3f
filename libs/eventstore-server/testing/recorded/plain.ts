import type { Message } from 'google-protobuf';

type Fields = { readonly [name: string]: unknown };
type Getters = { readonly [name: string]: (() => unknown) | undefined };

const MAX_TEXT = 120;

/** A message in one line: its set fields by name. Two equal positions are written as `P<position>`. */
export function messageText(message: Message): string {
  return text(plain(message)).replaceAll(/commitPosition=(\d+) preparePosition=\1\b/g, 'P$1');
}

function plain(message: Message): Fields {
  const getters = message as unknown as Getters;
  const fields: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(message.toObject())) {
    const property = name[0]!.toUpperCase() + name.slice(1);
    if (getters[`has${property}`]?.call(message) === false) continue;
    const value = getters[`get${property}_asU8`]?.call(message) ?? getters[`get${property}`]?.call(message) ?? given;
    if (isSet(value, getters[`has${property}`] !== undefined)) fields[name] = field(name, value, given);
  }
  return fields;
}

function field(name: string, value: unknown, given: unknown): unknown {
  if (value instanceof Uint8Array) return bytesText(value);
  if (name.endsWith('Map')) return Object.fromEntries([...(given as [string, string][])].sort());
  if (Array.isArray(value)) return value.map((each: unknown) => (isMessage(each) ? plain(each) : each));
  return isMessage(value) ? plain(value) : value;
}

function isSet(value: unknown, hasPresence: boolean): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Uint8Array) return value.byteLength > 0;
  return hasPresence || (value !== undefined && value !== '' && value !== 0 && value !== '0' && value !== false);
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'serializeBinary' in value;
}

/** As text if it is text, otherwise hexadecimal. */
export function bytesText(bytes: Uint8Array): string {
  const asText = Buffer.from(bytes).toString('utf8');
  return Buffer.from(asText).equals(Buffer.from(bytes))
    ? shortened(asText)
    : `hex:${Buffer.from(bytes).toString('hex')}`;
}

export function shortened(long: string): string {
  return long.length > MAX_TEXT ? `${long.slice(0, 20)}…(${long.length})` : long;
}

export function text(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(text).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return shortened(String(value));
  const parts = Object.entries(value)
    .sort(byName)
    .map(([name, each]) => {
      const told = text(each as unknown);
      if (typeof each === 'object' && !Array.isArray(each)) return told === '' ? name : `${name}(${told})`;
      return `${name}=${told}`;
    });
  return parts.join(' ');
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
