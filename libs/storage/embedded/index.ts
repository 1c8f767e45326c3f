export { EmbeddedEventStore } from './event-log/embedded-event-store';
export { EventLogFormatError, EventLogInUseError } from './event-log/errors';
export { SqliteReadStore } from './read-store/sqlite-read-store';
