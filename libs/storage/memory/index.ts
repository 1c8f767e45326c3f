export { MemoryEventStore } from './event-store';
export { MemoryReadStore } from './read-store';
