import { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb';
import { invalidArgument } from '../errors';

/** The name that reads the whole log; nothing can be written to it. */
export const ALL_STREAM = '$all';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws ProtocolError if there is no name, or it is not UTF-8. */
export function readStreamName(identifier: StreamIdentifier | undefined): string {
  const bytes = identifier?.getStreamName_asU8() ?? new Uint8Array(0);
  if (bytes.length === 0) throw invalidArgument('A stream name is required');
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidArgument('A stream name is UTF-8');
  }
}

/** @throws ProtocolError for a name that cannot be written to. */
export function readWritableStreamName(identifier: StreamIdentifier | undefined): string {
  const name = readStreamName(identifier);
  if (name === ALL_STREAM || name === '$$') throw invalidArgument(`Stream ${name} can't be written to`);
  return name;
}

export function writeStreamName(name: string): StreamIdentifier {
  return new StreamIdentifier().setStreamName(Buffer.from(name));
}
