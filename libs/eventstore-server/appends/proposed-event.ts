import { appendBytes, type LogEventToAppend, MAX_APPEND_BYTES } from '@app/stores/sqlite';
import type { UUID } from '@eventstore/db-client/generated/shared_pb';
import { appendTooLarge, invalidArgument, missingMetadata } from '../errors';
import { NO_UUID, readUuid } from '../wire/uuid';

/** An event of Append or BatchAppend. */
export interface ProposedMessage {
  getId(): UUID | undefined;
  getMetadataMap(): { get(name: string): string | undefined };
  getCustomMetadata_asU8(): Uint8Array;
  getData_asU8(): Uint8Array;
}

const REQUIRED_METADATA = ['type', 'content-type'];

/** @throws ProtocolError */
function readProposedEvent(message: ProposedMessage): LogEventToAppend {
  const id = readUuid(message.getId());
  if (id === null || id === NO_UUID) throw invalidArgument('An event id is a UUID other than zero');
  const type = message.getMetadataMap().get('type');
  const contentType = message.getMetadataMap().get('content-type');
  if (type === undefined) throw missingMetadata('type', REQUIRED_METADATA);
  if (contentType === undefined) throw missingMetadata('content-type', REQUIRED_METADATA);
  if (type === '') throw invalidArgument('An event has a type');
  return {
    id,
    type,
    isJson: contentType === 'application/json',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

/** Collects the events of one append. Only their data count against the limit, as in EventStoreDB. */
export class ProposedEvents {
  readonly events: LogEventToAppend[] = [];
  /** Their size in memory. */
  bytes = 0;
  private dataBytes = 0;

  constructor(private readonly maxDataBytes: number) {}

  /** @throws ProtocolError */
  add(message: ProposedMessage): void {
    const event = readProposedEvent(message);
    this.dataBytes += event.data.byteLength;
    if (this.dataBytes > this.maxDataBytes) throw appendTooLarge(this.maxDataBytes);
    this.bytes += appendBytes(event);
    if (this.bytes > MAX_APPEND_BYTES) throw appendTooLarge(MAX_APPEND_BYTES);
    this.events.push(event);
  }
}
