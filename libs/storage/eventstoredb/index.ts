export { EventStoreDbEventStore, type EventStoreDbOptions } from './event-store';
export { EventStoreDbFailure, type FailureReason } from './failures';
