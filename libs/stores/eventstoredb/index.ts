export { EventStoreDbEventStore, type EventStoreDbOptions } from './event-store';
export { EventStoreDbFailure, type FailureReason, obstacleIn } from './failures';
