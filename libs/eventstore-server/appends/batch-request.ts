import type { LogEventToAppend, LogExpectation } from '@app/stores/sqlite';
import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import type { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb';
import { readExpectation } from '../wire/expectation';
import { readWritableStreamName } from '../wire/stream-name';
import { NO_UUID, readUuid } from '../wire/uuid';
import { readTimeoutMs } from './batch-deadline';
import { ProposedEvents } from './proposed-event';

/** Correlation id and stream of an append in BatchAppend; the response repeats both unchanged. */
export interface BatchIdentity {
  readonly correlationId: UUID | undefined;
  readonly streamIdentifier: StreamIdentifier | undefined;
}

/** One append of a BatchAppend, assembled from its chunks. */
export class BatchRequest implements BatchIdentity {
  private constructor(
    readonly correlationId: UUID | undefined,
    readonly streamIdentifier: StreamIdentifier | undefined,
    readonly streamName: string,
    readonly expected: LogExpectation,
    /** Nothing may be written later than this; null if the client sets no limit. */
    readonly deadlineMs: number | null,
    private readonly proposed: ProposedEvents,
  ) {}

  /** @throws ProtocolError */
  static begin(
    { correlationId, streamIdentifier }: BatchIdentity,
    options: BatchAppendReq.Options,
    {
      nowMs,
      monotonicMs,
      maxDataBytes,
    }: { readonly nowMs: number; readonly monotonicMs: number; readonly maxDataBytes: number },
  ): BatchRequest {
    const streamName = readWritableStreamName(streamIdentifier);
    const timeoutMs = readTimeoutMs(options, nowMs);
    const deadlineMs = timeoutMs === null ? null : monotonicMs + timeoutMs;
    const proposed = new ProposedEvents(maxDataBytes);
    return new BatchRequest(
      ...([correlationId, streamIdentifier, streamName, readExpectation(options), deadlineMs, proposed] as const),
    );
  }

  get events(): readonly LogEventToAppend[] {
    return this.proposed.events;
  }

  /** Its size in memory. */
  get bytes(): number {
    return this.proposed.bytes;
  }

  /** @throws ProtocolError */
  take(chunk: BatchAppendReq): void {
    for (const message of chunk.getProposedMessagesList()) this.proposed.add(message);
  }
}

/** Null unless it is a UUID other than zero. */
export function correlationKey(correlationId: UUID | undefined): string | null {
  const id = readUuid(correlationId);
  return id === NO_UUID ? null : id;
}
