export { MemoryReadStore } from '../testing/memory-read-store';
