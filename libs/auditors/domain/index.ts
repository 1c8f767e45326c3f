import { accepted, type Decider } from '@app/event-sourcing';
import { type Auditor, type AuditorCommand, type AuditorRejection, decide, evolve } from './auditor';
import type { AuditorEvent, AuditRead } from './events';
import { auditorSchemas, auditReadSchemas } from './schemas';

export { type Auditor, type AuditorCommand, type AuditorRejection, MAX_VALIDITY_MS } from './auditor';
export * from './events';
export * from './ids';
export { auditorSchemas, auditReadSchemas } from './schemas';

export const auditorDecider: Decider<Auditor | null, AuditorCommand, AuditorEvent, AuditorRejection> = {
  schemas: auditorSchemas,
  initialState: null,
  evolve,
  decide,
};

export interface RecordAuditRead {
  readonly type: 'RecordAuditRead';
  readonly read: AuditRead['data'];
}

/** Each read is recorded, a repeated one again: it was answered again. */
export const auditReadDecider: Decider<null, RecordAuditRead, AuditRead, never> = {
  schemas: auditReadSchemas,
  initialState: null,
  evolve: () => null,
  decide: ({ read }) => accepted<AuditRead>({ type: 'AuditRead', data: read }),
};
