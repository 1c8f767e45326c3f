/** The prefix of every auditor's stream. */
export const AUDITOR_STREAM_PREFIX = 'auditor-';
/** The prefix of the streams that record what auditors read. */
export const AUDIT_READS_STREAM_PREFIX = 'auditReads-';

const AUDITOR_ID = /^aud_([0-9A-HJKMNP-TV-Z]{26})$/;
const AUDIT_READS_STREAM = /^auditReads-[0-9A-HJKMNP-TV-Z]{26}-[0-9]{8}$/;

export function isAuditorId(value: string): boolean {
  return AUDITOR_ID.test(value);
}

export function auditorStreamId(auditorId: string): string {
  return auditorId.replace(/^aud_/, AUDITOR_STREAM_PREFIX);
}

/** The auditor whose stream it would be; it is one only if `isAuditorId` says so. */
export function auditorIdOfStream(streamId: string): string {
  return `aud_${streamId.slice(AUDITOR_STREAM_PREFIX.length)}`;
}

/** A stream for each day, so that none becomes too long to be folded. `time` is RFC 3339 UTC. */
export function auditReadsStreamId(auditorId: string, time: string): string {
  const day = time.slice(0, 10).replaceAll('-', '');
  return `${auditorId.replace(/^aud_/, AUDIT_READS_STREAM_PREFIX)}-${day}`;
}

export function isAuditReadsStream(streamId: string): boolean {
  return AUDIT_READS_STREAM.test(streamId);
}
