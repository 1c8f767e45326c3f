import type { EventMetadata, EventToAppend } from '../event';

const METADATA: EventMetadata = {
  schemaVersion: 1,
  recordedAt: '2030-01-01T00:00:00.000Z',
  correlationId: 'by-hand',
  causationId: null,
  actor: 'spec',
  previousHash: '',
  macKeyId: 'dk_1',
  mac: 'm',
  hash: 'h',
};

/** Metadata of an event that follows another `ownEvent`. */
export const FOLLOWING = { previousHash: METADATA.hash };

/** An event as this service writes it, except that its proof is a constant. */
export function ownEvent(
  id: string,
  type: string,
  data: object = {},
  change: Partial<EventMetadata> = {},
): EventToAppend {
  return { id, type, data: JSON.stringify(data), metadata: JSON.stringify({ ...METADATA, ...change }) };
}

/** An event that this service did not write. */
export function foreignEvent(id: string, change: Partial<EventToAppend> = {}): EventToAppend {
  return { id, type: 'OrderShipped', data: '{"order":7}', metadata: '', ...change };
}
