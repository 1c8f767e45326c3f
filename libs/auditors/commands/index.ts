export type { ListedAuditor } from './auditor-index';
export * from './auditors';
export { AuditorDirectory } from './directory';
