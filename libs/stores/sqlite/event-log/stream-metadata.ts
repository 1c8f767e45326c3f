import { TOMBSTONE_REVISION } from './log-event';

/** What a stream's metadata says about which events can still be read. */
export interface StreamMetadata {
  /** `$maxCount`: only this many of the latest events. */
  readonly maxCount: bigint | null;
  /** `$maxAge`: only events no older than this, in seconds. */
  readonly maxAgeSeconds: bigint | null;
  /** `$tb`: only events from this revision on. */
  readonly truncateBefore: bigint | null;
}

/** `$$x` holds the metadata of stream `x`, and is deleted with it. */
export const METADATA_PREFIX = '$$';
export const METADATA_TYPE = '$metadata';

/** `$tb` of a soft delete: the stream is deleted, and may be written to again. */
const SOFT_DELETED = TOMBSTONE_REVISION;

export const NO_METADATA: StreamMetadata = { maxCount: null, maxAgeSeconds: null, truncateBefore: null };

export function isSoftDeletion({ truncateBefore }: StreamMetadata): boolean {
  return truncateBefore === SOFT_DELETED;
}

/** Whether metadata with this content deletes its stream. */
export function isDeletion(data: Uint8Array): boolean {
  return isSoftDeletion(readStreamMetadata(data));
}

/** The data of the metadata event of a soft delete; it replaces all other metadata. */
export function softDeletion(): Uint8Array {
  return Buffer.from(`{"$tb":${SOFT_DELETED}}`);
}

/** Ignores invalid values, and metadata that is not a JSON object, as EventStoreDB does. */
export function readStreamMetadata(data: Uint8Array): StreamMetadata {
  const fields = parseObject(data);
  return {
    maxCount: wholeNumber(fields['$maxCount'], 1),
    maxAgeSeconds: wholeNumber(fields['$maxAge'], 1),
    truncateBefore: wholeNumber(fields['$tb'], 0),
  };
}

/** The same metadata, with another `$tb`. */
export function truncatedBefore(data: Uint8Array, revision: bigint): Uint8Array {
  return Buffer.from(JSON.stringify({ ...parseObject(data), $tb: Number(revision) }));
}

function parseObject(data: Uint8Array): Record<string, unknown> {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
  return tryParse(text) ?? tryParse(text.replace(BYTE_ORDER_MARK, '').replaceAll(TRAILING_COMMA, '$1')) ?? {};
}

/** Metadata written by hand may contain these, and EventStoreDB accepts them. */
const BYTE_ORDER_MARK = /^\ufeff/;
const TRAILING_COMMA = /,(\s*[}\]])/g;

function tryParse(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return null;
  }
}

/** JSON numbers are doubles here: 2^63 - 1 arrives as 2^63. */
function wholeNumber(value: unknown, min: number): bigint | null {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min) return null;
  return value >= 2 ** 63 ? SOFT_DELETED : BigInt(value);
}
