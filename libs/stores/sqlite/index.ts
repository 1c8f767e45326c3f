export { EmbeddedEventStore } from './event-log/embedded-event-store';
export { AppendTooLargeError, EventLogFormatError, EventLogInUseError, FilterError } from './event-log/errors';
export {
  type AllPage,
  appendBytes,
  EventLog,
  type EventLogOptions,
  LOG_FILE,
  MAX_APPEND_BYTES,
} from './event-log/event-log';
export { FollowedEventStore } from './event-log/followed-event-store';
export type { BatchStatistics } from './event-log/group-commit';
export {
  isUuid,
  type LogAppendResult,
  type LogEvent,
  type LogEventToAppend,
  type LogExpectation,
  NO_REVISION,
  TICKS_PER_MS,
  TOMBSTONE_REVISION,
} from './event-log/log-event';
export type { LogFilter, LogPage } from './event-log/log-reader';
export { type ReadDirection, type StreamDescription, type StreamPage, whole } from './event-log/stream-description';
export { isDeletion, METADATA_PREFIX, METADATA_TYPE, truncatedBefore } from './event-log/stream-metadata';
export {
  READ_STORE_WRITES,
  type ReadStoreWrite,
  type ReadStoreWriter,
  SplitReadStore,
} from './read-store/split-read-store';
export { DamagedCopyError, OnlineCopy } from './online-copy';
export { SqliteInspection } from './read-store/inspection';
export { SqliteReadStore } from './read-store/sqlite-read-store';
export { nextTurn } from '@app/stores/next-turn';
