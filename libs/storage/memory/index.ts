export { MemoryEventStore } from './event-store';
