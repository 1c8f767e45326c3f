export { RedisRefusedError } from './failures';
export { RedisReadStore, type RedisReadStoreOptions } from './redis-read-store';
