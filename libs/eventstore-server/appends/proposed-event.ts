import type { LogEventToAppend } from '@app/storage/embedded';
import type { UUID } from '@eventstore/db-client/generated/shared_pb';
import { invalidArgument, missingMetadata } from '../errors';
import { readUuid } from '../wire/uuid';

/** What Append and BatchAppend say of one event. */
export interface ProposedMessage {
  getId(): UUID | undefined;
  getMetadataMap(): { get(name: string): string | undefined };
  getCustomMetadata_asU8(): Uint8Array;
  getData_asU8(): Uint8Array;
}

const REQUIRED_METADATA = ['type', 'content-type'];
const NO_UUID = '00000000-0000-0000-0000-000000000000';

/** @throws ProtocolError */
export function readProposedEvent(message: ProposedMessage): LogEventToAppend {
  const id = readUuid(message.getId());
  if (id === null || id === NO_UUID) throw invalidArgument('An event id is a UUID other than zero');
  const type = message.getMetadataMap().get('type');
  const contentType = message.getMetadataMap().get('content-type');
  if (type === undefined || contentType === undefined) throw missingMetadata(REQUIRED_METADATA);
  if (type === '') throw invalidArgument('An event has a type');
  return {
    id,
    type,
    isJson: contentType === 'application/json',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

/** What an event counts for against the limit of an append, in bytes. */
export function sizeOf({ type, data, metadata }: LogEventToAppend): number {
  return data.byteLength + metadata.byteLength + 2 * type.length;
}
