import { type AppendResult, assert, type Clock, type EventToAppend, type ExpectedRevision } from '@app/event-sourcing';
import { EventLog, type EventLogOptions } from './event-log';
import type { LogEventToAppend } from './log-event';
import { LogEventStore } from './log-event-store';

/** The event store port on the embedded log: JSON texts, one process, one file in `directory`. */
export class EmbeddedEventStore extends LogEventStore {
  constructor(
    private readonly log: EventLog,
    clock: Clock,
  ) {
    super(log, clock);
  }

  /** @throws EventLogInUseError, EventLogFormatError */
  static open(options: EventLogOptions): EmbeddedEventStore {
    return new EmbeddedEventStore(EventLog.open(options), options.clock);
  }

  override async append(
    streamId: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    assert(events.length > 0, 'an append holds at least one event');
    const logged = expected === 'no-stream' ? expected : BigInt(expected);
    const { revision, position } = await this.log.append(streamId, logged, events.map(toBytes));
    return { revision: Number(revision), position };
  }

  /**
   * Calls the listener after each commit with the position of the log's last event. @returns a function that removes
   * it.
   */
  onCommitted(listener: (position: bigint) => void): () => void {
    return this.log.onCommitted(listener);
  }

  /** Checks that the log can be written to, without changing anything. @throws EventStoreUnavailableError if not */
  probe(): Promise<void> {
    return this.log.probe();
  }

  override close(): Promise<void> {
    return this.log.close();
  }
}

function toBytes({ id, type, data, metadata }: EventToAppend): LogEventToAppend {
  return { id, type, isJson: true, data: Buffer.from(data), metadata: Buffer.from(metadata) };
}
