export type { Credentials } from './authentication';
export type { Report } from './context';
export { HealthServer, type HealthServerOptions } from './health-server';
export { EventStoreServer, type EventStoreServerOptions } from './server';
