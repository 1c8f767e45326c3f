import type { RecordedEvent, StoredEvent } from './event';

/**
 * `FOREIGN`: this service did not write it. `FORGED`: it looks like one of ours, but its proof does not hold. `NEWER`: a
 * newer release wrote it. `BROKEN`: its own events do not follow each other, or cannot be applied. `DELETED`: the stream, or its beginning, was deleted or hidden.
 */
export type DamageKind = 'FOREIGN' | 'FORGED' | 'NEWER' | 'BROKEN' | 'DELETED';

/** The revision from which a stream cannot be believed, and why. */
export interface Damage {
  readonly streamId: string;
  readonly revision: number;
  readonly kind: DamageKind;
  readonly reason: string;
}

/** A stream holds an event that cannot be believed or read. No query, decision or work may rely on the stream. */
export class DamagedHistoryError extends Error implements Damage {
  readonly streamId: string;
  readonly revision: number;

  constructor(
    { streamId, revision }: Pick<RecordedEvent, 'streamId' | 'revision'>,
    readonly kind: DamageKind,
    readonly reason: string,
    /** The events before the damage. */
    readonly sound: readonly StoredEvent[] = [],
    options?: ErrorOptions,
  ) {
    super(`Stream ${streamId} is damaged at revision ${revision}: ${reason}`, options);
    this.name = 'DamagedHistoryError';
    this.streamId = streamId;
    this.revision = revision;
  }
}

/** A single event cannot be read, in any stream. */
export class UnreadableEventError extends DamagedHistoryError {
  constructor(
    event: Pick<RecordedEvent, 'streamId' | 'revision' | 'type'>,
    kind: 'FOREIGN' | 'FORGED' | 'NEWER',
    why: string,
  ) {
    super(event, kind, `${event.type || 'an event without a type'} can't be read: ${why}`);
    this.name = 'UnreadableEventError';
  }
}

/** The stream is tombstoned or deleted, or some of its events were deleted. */
export class StreamDeletedError extends DamagedHistoryError {
  constructor(streamId: string, reason = 'it is deleted') {
    super({ streamId, revision: 0 }, 'DELETED', reason);
    this.name = 'StreamDeletedError';
  }
}
