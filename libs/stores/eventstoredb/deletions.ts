import { DELETION, type RecordedEvent } from '@app/event-sourcing';

/** The store keeps a stream's metadata, its read limits included, in a stream named with this prefix. */
export const METADATA_PREFIX = '$$';
const METADATA = '$metadata';
const TOMBSTONE = '$streamDeleted';
/** Each hides events if it is greater than 0; a soft delete is a `$tb` beyond all events. */
const HIDING = ['$tb', '$maxCount', '$maxAge'] as const;

/** The deletion that one of the store's own events reports, as the port gives it; null if none. */
export function deletionIn(event: RecordedEvent): RecordedEvent | null {
  const { type, streamId } = event;
  if (type === TOMBSTONE) return { ...event, type: DELETION, revision: 0 };
  if (type !== METADATA || !streamId.startsWith(METADATA_PREFIX) || !hidesEvents(event)) return null;
  return { ...event, type: DELETION, streamId: streamId.slice(METADATA_PREFIX.length), revision: 0 };
}

/** Whether metadata with this content hides events of its stream. */
export function hidesEvents({ data }: Pick<RecordedEvent, 'data'>): boolean {
  try {
    const metadata = JSON.parse(data) as Readonly<Record<string, unknown>> | null;
    return HIDING.some((name) => Number(metadata?.[name] ?? 0) > 0);
  } catch {
    return false;
  }
}
