import { EventStoreUnavailableError, StreamDeletedError, WrongExpectedRevisionError } from '@app/event-sourcing';
import { AppendTooLargeError, FilterError } from '@app/stores/sqlite';
import { Metadata, status } from '@grpc/grpc-js';

/** How a failed call ends: the status, and the trailers by which clients distinguish errors with the same status. */
export class ProtocolError extends Error {
  constructor(
    readonly code: status,
    message: string,
    readonly trailers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'ProtocolError';
  }
}

/** A failed call, in grpc-js's form. */
export interface CallStatus {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
}

/** EventStoreDB's numbers for the weak expectations. */
const EXPECTED_VERSIONS: Readonly<Record<string, string>> = { any: '-2', 'no-stream': '-1', 'stream-exists': '-4' };

/** The highest stream revision and position. */
export const MAX_REVISION = 0x7fff_ffff_ffff_ffffn;

export function invalidArgument(message: string): ProtocolError {
  return new ProtocolError(status.INVALID_ARGUMENT, message);
}

export function streamDeleted(streamName: string): ProtocolError {
  return failed(status.FAILED_PRECONDITION, 'stream-deleted', `Event stream '${streamName}' is deleted.`, {
    'stream-name': trailerText(streamName),
  });
}

export function appendTooLarge(limitBytes: number): ProtocolError {
  const what = `Maximum Append Size of ${limitBytes} Exceeded.`;
  return failed(status.INVALID_ARGUMENT, 'maximum-append-size-exceeded', what, {
    'maximum-append-size': String(limitBytes),
  });
}

export function missingMetadata(missing: string, required: readonly string[]): ProtocolError {
  const what = `Required Metadata Property '${missing}' is missing`;
  return failed(status.INVALID_ARGUMENT, 'missing-required-metadata-property', what, {
    'required-metadata-properties': required.join(','),
  });
}

/** How open-ended calls end when the server stops, as in EventStoreDB: clients then reconnect. */
export function serverStopping(): ProtocolError {
  return new ProtocolError(status.CANCELLED, 'The server is stopping');
}

export function unavailable(message: string): ProtocolError {
  return new ProtocolError(status.UNAVAILABLE, message);
}

/**
 * Maps an error of the log or a handler to the protocol's. An unknown error is a bug: clients only learn that something
 * went wrong.
 */
export function toProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof StreamDeletedError) return streamDeleted(error.streamId);
  if (error instanceof AppendTooLargeError) return appendTooLarge(error.limitBytes);
  if (error instanceof FilterError) return invalidArgument(error.message);
  if (error instanceof EventStoreUnavailableError) return unavailable(error.message);
  if (error instanceof WrongExpectedRevisionError) return wrongExpectedVersion(error);
  return new ProtocolError(status.INTERNAL, 'Internal error');
}

export function toCallStatus(error: ProtocolError): CallStatus {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(error.trailers)) metadata.set(name, value);
  return { code: error.code, details: error.message, metadata };
}

/** Only deletes fail this way; an append returns it in its response. */
function wrongExpectedVersion({ streamId, expected, actual }: WrongExpectedRevisionError): ProtocolError {
  const versions = `Expected version: ${EXPECTED_VERSIONS[expected] ?? expected}, Actual version: ${actual ?? -1}`;
  const what = `Delete failed due to WrongExpectedVersion. Stream: ${streamId}, ${versions}`;
  return failed(status.FAILED_PRECONDITION, 'wrong-expected-version', what, {
    'stream-name': trailerText(streamId),
    'expected-version': EXPECTED_VERSIONS[expected] ?? expected,
    'actual-version': String(actual ?? -1),
  });
}

export function failed(
  code: status,
  exception: string,
  message: string,
  trailers: Readonly<Record<string, string>>,
): ProtocolError {
  return new ProtocolError(code, message, { exception, ...trailers });
}

/** Trailers are visible ASCII; other characters in a name are percent-encoded. */
export function trailerText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : encodeURI(text);
}
