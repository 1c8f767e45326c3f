export * from './configuration';
export * from './configuration-error';
export * from './event-store-server-configuration';
export * from './gateway-server-configuration';
export type { Environment } from './environment-reader';
export { parseMasterKey, parseToken, type RateLimit } from './parsers';
export * from './secret';
export { isLoopback } from './store-addresses';
export * from './summary';
