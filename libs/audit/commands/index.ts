export { AuditReads } from './audit-reads';
export * from './read-events';
