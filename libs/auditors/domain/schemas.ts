import type { EventSchemas } from '@app/event-sourcing';
import type { AuditorEvent, AuditRead } from './events';

/** The current schema version of every event in an auditor's stream, with upcasters for older versions. */
export const auditorSchemas: EventSchemas<AuditorEvent> = {
  AuditorRegistered: { version: 1 },
  AuditorRevoked: { version: 1 },
};

/** As `auditorSchemas`, for the streams that record what auditors read. */
export const auditReadSchemas: EventSchemas<AuditRead> = { AuditRead: { version: 1 } };
