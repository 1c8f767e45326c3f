import type { LogEventToAppend, LogExpectation } from '@app/storage/embedded';
import type { UUID } from '@eventstore/db-client/generated/shared_pb';
import type { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb';
import { appendTooLarge, invalidArgument } from '../errors';
import { readExpectation } from '../wire/expectation';
import { readWritableStreamName } from '../wire/stream-name';
import { readProposedEvent, sizeOf } from './proposed-event';

/** An append of a BatchAppend, as its answer has to name it. */
export interface BatchIdentity {
  /** Goes back as it came. */
  readonly correlationId: UUID;
  readonly options: BatchAppendReq.Options;
}

/** One append of a BatchAppend, put together from its chunks. */
export class BatchRequest implements BatchIdentity {
  readonly events: LogEventToAppend[] = [];
  bytes = 0;

  private constructor(
    readonly correlationId: UUID,
    readonly options: BatchAppendReq.Options,
    readonly streamName: string,
    readonly expected: LogExpectation,
    /** Nothing may be written later than this; null for a client that sets no limit. */
    readonly deadlineMs: number | null,
  ) {}

  /** @throws ProtocolError */
  static begin({ correlationId, options }: BatchIdentity): BatchRequest {
    const streamName = readWritableStreamName(options.getStreamIdentifier());
    const deadline = options.getDeadline();
    const deadlineMs = deadline === undefined ? null : deadline.getSeconds() * 1_000 + deadline.getNanos() / 1_000_000;
    return new BatchRequest(correlationId, options, streamName, readExpectation(options), deadlineMs);
  }

  /** @throws ProtocolError */
  take(chunk: BatchAppendReq, maxBytes: number): void {
    for (const message of chunk.getProposedMessagesList()) {
      const event = readProposedEvent(message);
      this.bytes += sizeOf(event);
      if (this.bytes > maxBytes) throw appendTooLarge(maxBytes);
      this.events.push(event);
    }
  }
}

/** @throws ProtocolError: without it nobody would know what an answer belongs to. */
export function correlationKey(correlationId: UUID | undefined): string {
  const structured = correlationId?.getStructured();
  if (structured !== undefined) {
    return `${structured.getMostSignificantBits()}:${structured.getLeastSignificantBits()}`;
  }
  const text = correlationId?.getString() ?? '';
  if (text === '') throw invalidArgument('A correlation id is required');
  return text;
}
