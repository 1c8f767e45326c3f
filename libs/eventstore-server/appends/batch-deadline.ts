import { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb';
import { Duration } from 'google-protobuf/google/protobuf/duration_pb';
import { BinaryReader } from 'google-protobuf';
import { invalidArgument } from '../errors';

/** The request's options. Their deadline may be a duration, a field that is newer than the generated messages. */
const OPTIONS_FIELD = 2;
const DURATION_FIELD = 7;

/** The range of Timestamp: the years 1 to 9999. */
const MIN_SECONDS = -62_135_596_800;
const MAX_SECONDS = 253_402_300_799;
const MAX_NANOS = 999_999_999;

const durations = new WeakMap<BatchAppendReq.Options, Duration>();

export function deserializeBatchRequest(bytes: Buffer): BatchAppendReq {
  const request = BatchAppendReq.deserializeBinary(bytes);
  const options = request.getOptions();
  // A duration cannot accompany a point in time.
  if (options === undefined || options.hasDeadline()) return request;
  const duration = fieldOf(fieldOf(bytes, OPTIONS_FIELD), DURATION_FIELD);
  if (duration !== null) durations.set(options, Duration.deserializeBinary(duration));
  return request;
}

/** The client's time-out in ms; null if it sets none. @throws ProtocolError for an invalid time */
export function readTimeoutMs(options: BatchAppendReq.Options, nowMs: number): number | null {
  const duration = durations.get(options);
  if (duration !== undefined) return inMs(duration);
  const deadline = options.getDeadline();
  if (deadline === undefined) return null;
  const [seconds, nanos] = [deadline.getSeconds(), deadline.getNanos()];
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS || nanos < 0 || nanos > MAX_NANOS) {
    throw invalidArgument('A deadline is a time of the years 1 to 9999');
  }
  return inMs(deadline) - nowMs;
}

function inMs(time: { getSeconds(): number; getNanos(): number }): number {
  return time.getSeconds() * 1_000 + time.getNanos() / 1_000_000;
}

/** The bytes of the last field with this number, which contains a message. */
function fieldOf(bytes: Uint8Array | null, field: number): Uint8Array | null {
  if (bytes === null) return null;
  const reader = new BinaryReader(bytes);
  let found: Uint8Array | null = null;
  while (reader.nextField()) {
    if (reader.getFieldNumber() === field) found = reader.readBytes();
    else reader.skipField();
  }
  return found;
}
