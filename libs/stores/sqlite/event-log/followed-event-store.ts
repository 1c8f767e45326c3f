import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type AppendResult, AssertionFailedError, type Clock } from '@app/event-sourcing';
import { LOG_FILE } from './event-log';
import { FollowedLog } from './followed-log';
import { LogEventStore } from './log-event-store';
import { TAIL_EVENTS } from './log-tail';
import { openLogDatabase, openLogForReading } from './schema';

export interface FollowedEventStoreOptions {
  /** The directory of the log's owner. */
  readonly directory: string;
  readonly clock: Clock;
  /** Position of the last event, as its owner reports it; null when the log is empty. */
  readonly head: bigint | null;
  readonly tailEvents?: number;
}

/** The embedded log for a thread that only reads it, up to the position that its owner reports. */
export class FollowedEventStore extends LogEventStore {
  private constructor(
    private readonly log: FollowedLog,
    clock: Clock,
    private readonly database: DatabaseSync | null = null,
  ) {
    super(log, clock);
  }

  /** @throws EventLogFormatError */
  static open({ directory, clock, head, tailEvents = TAIL_EVENTS }: FollowedEventStoreOptions): FollowedEventStore {
    const database = openLogForReading(join(directory, LOG_FILE));
    return new FollowedEventStore(new FollowedLog(database, head ?? 0n, tailEvents), clock);
  }

  /**
   * The log as it ends now. Its owner may go on writing.
   *
   * @throws EventLogFormatError, Error if the file cannot be read.
   */
  static openReadOnly(directory: string, clock: Clock): FollowedEventStore {
    const database = openLogForReading(join(directory, LOG_FILE));
    return new FollowedEventStore(new FollowedLog(database, lastPosition(database), 0), clock, database);
  }

  /** Of a store that was opened for reading only: it ends where the log ends now. */
  lookAgain(): void {
    if (this.database?.isOpen === true) this.log.told(lastPosition(this.database));
  }

  /**
   * The streams of a copy that no other process has open. Unlike a read-only connection, it leaves no file behind when
   * it is closed.
   *
   * @throws EventLogFormatError
   */
  static openCopy(directory: string, clock: Clock): FollowedEventStore {
    const database = openLogDatabase(join(directory, LOG_FILE));
    return new FollowedEventStore(new FollowedLog(database, lastPosition(database), 0), clock);
  }

  /** Reports that everything up to the position is committed. */
  told(position: bigint): void {
    this.log.told(position);
  }

  /** Always fails: only the owner writes. */
  override append(): Promise<AppendResult> {
    return Promise.reject(new AssertionFailedError('only the thread that owns the log writes to it'));
  }

  override async close(): Promise<void> {
    this.log.close();
  }
}

function lastPosition(database: DatabaseSync): bigint {
  const [last] = database.prepare('SELECT max(position) FROM events').get() as unknown as [bigint | null];
  return last ?? 0n;
}
