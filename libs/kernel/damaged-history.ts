import type { RecordedEvent, StoredEvent } from './event';

/**
 * `FOREIGN`: this service did not write it. `NEWER`: a newer release of it did. `BROKEN`: each event is one of its own, but they
 * don't follow on each other, or say what can't be. `DELETED`: the stream, or what it began with, was deleted or hidden.
 */
export type DamageKind = 'FOREIGN' | 'NEWER' | 'BROKEN' | 'DELETED';

/** From where on a stream isn't to be believed, and why. */
export interface Damage {
  readonly streamId: string;
  readonly revision: number;
  readonly kind: DamageKind;
  readonly reason: string;
}

/** A stream holds what can't be believed or read: nothing is answered from it, decided on it, or done for it. */
export class DamagedHistoryError extends Error implements Damage {
  readonly streamId: string;
  readonly revision: number;

  constructor(
    { streamId, revision }: Pick<RecordedEvent, 'streamId' | 'revision'>,
    readonly kind: DamageKind,
    readonly reason: string,
    /** The events before it. */
    readonly sound: readonly StoredEvent[] = [],
    options?: ErrorOptions,
  ) {
    super(`Stream ${streamId} is damaged at revision ${revision}: ${reason}`, options);
    this.name = 'DamagedHistoryError';
    this.streamId = streamId;
    this.revision = revision;
  }
}

/** One event can't be read, wherever it stands. */
export class UnreadableEventError extends DamagedHistoryError {
  constructor(event: Pick<RecordedEvent, 'streamId' | 'revision' | 'type'>, kind: 'FOREIGN' | 'NEWER', why: string) {
    super(event, kind, `${event.type || 'an event without a type'} can't be read: ${why}`);
    this.name = 'UnreadableEventError';
  }
}

/** The stream was deleted for good (tombstoned) or, on a read, deleted at all; or events of it were. */
export class StreamDeletedError extends DamagedHistoryError {
  constructor(streamId: string, reason = 'it is deleted') {
    super({ streamId, revision: 0 }, 'DELETED', reason);
    this.name = 'StreamDeletedError';
  }
}
