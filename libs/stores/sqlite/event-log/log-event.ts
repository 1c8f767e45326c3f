/** The expected revision of an append: an exact last revision, or a weaker expectation. */
export type LogExpectation = bigint | 'no-stream' | 'any' | 'stream-exists';

export interface LogEventToAppend {
  /** A UUID in its 36-character form; lower case when read back. */
  readonly id: string;
  readonly type: string;
  /** Whether the data's content type is application/json; otherwise application/octet-stream. */
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface LogEvent extends LogEventToAppend {
  readonly streamName: string;
  /** From 0 without gaps; a tombstone has `TOMBSTONE_REVISION`. */
  readonly revision: bigint;
  /** From 1 without gaps. */
  readonly position: bigint;
  /** When it was appended, in ticks of 100 ns since the Unix epoch. */
  readonly createdTicks: bigint;
}

export interface LogAppendResult {
  /** Revision of the append's last event; -1 for an empty append to a stream without events. */
  readonly revision: bigint;
  /** Position of the append's last event; for an empty append the log's last position. */
  readonly position: bigint;
}

/** The revision of a stream that has no events. */
export const NO_REVISION = -1n;

/** The revision of a tombstone, as in EventStoreDB. */
export const TOMBSTONE_REVISION = 0x7fff_ffff_ffff_ffffn;

export const TICKS_PER_MS = 10_000n;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function uuidToBytes(uuid: string): Uint8Array {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

export function uuidFromBytes(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The part of a stream's name that an index groups by: up to and including the first dash, or all of it. */
export function categoryOf(streamName: string): string {
  return streamName.slice(0, streamName.indexOf('-') + 1) || streamName;
}

/** The columns that `readLogEvent` takes, in its order, of `events e` joined with `streams s`. */
export const EVENT_COLUMNS =
  'e.position, s.name, e.revision, e.id, e.type, e.content_type, e.created, e.metadata, e.data';

type EventRow = readonly [bigint, string, bigint, Uint8Array, string, bigint, bigint, Uint8Array, Uint8Array];

export function readLogEvent(row: unknown): LogEvent {
  const [position, streamName, revision, id, type, contentType, createdTicks, metadata, data] = row as EventRow;
  const isJson = contentType === 1n;
  return { position, streamName, revision, id: uuidFromBytes(id), type, isJson, createdTicks, metadata, data };
}
