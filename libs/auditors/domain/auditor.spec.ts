import { given } from '@app/event-sourcing/testing/given-when-then';
import {
  auditorDecider,
  auditorIdOfStream,
  type AuditorRegistered,
  auditorStreamId,
  auditReadDecider,
  auditReadsStreamId,
  isAuditorId,
  isAuditReadsStream,
} from './';

const auditorId = `aud_${'0'.repeat(26)}`;
const data = { auditorId, name: 'Prüfer & Co', tokenHash: 'a'.repeat(64), expiresAt: '2030-06-01T00:00:00.000Z' };
const registered: AuditorRegistered = { type: 'AuditorRegistered', data };
const register = { type: 'RegisterAuditor', ...data, now: '2030-01-01T00:00:00.000Z' } as const;
const revoke = { type: 'RevokeAuditor' } as const;

describe('an auditor', () => {
  it('is registered once, and again only with the same token', () => {
    given(auditorDecider).when(register).thenEvents(registered);
    given(auditorDecider, registered).when(register).thenNothing();
    given(auditorDecider, registered)
      .when({ ...register, tokenHash: 'b'.repeat(64) })
      .thenRejected('AUDITOR_EXISTS');
  });

  it.each([
    ['2030-01-01T00:00:00.000Z', 'EXPIRY_NOT_IN_FUTURE'],
    ['2031-01-02T00:00:00.001Z', 'EXPIRY_TOO_FAR'],
  ] as const)('has a token that always expires, and within 366 days: %s', (expiresAt, why) => {
    given(auditorDecider)
      .when({ ...register, expiresAt })
      .thenRejected(why);
  });

  it('may have a token of 366 days', () => {
    const expiresAt = '2031-01-02T00:00:00.000Z';
    given(auditorDecider)
      .when({ ...register, expiresAt })
      .thenEvents({ ...registered, data: { ...data, expiresAt } });
  });

  it('is revoked once', () => {
    const revoked = { type: 'AuditorRevoked', data: { auditorId } } as const;
    given(auditorDecider).when(revoke).thenRejected('AUDITOR_NOT_FOUND');
    given(auditorDecider, registered).when(revoke).thenEvents(revoked);
    given(auditorDecider, registered, revoked).when(revoke).thenNothing();
    expect(given(auditorDecider, registered, revoked).state?.revokedAt).toEqual(expect.any(String));
  });
});

it('what an auditor reads is recorded each time', () => {
  const read = { auditorId, operation: '/audit/v1/head', parameters: [], items: 1 };
  const event = { type: 'AuditRead', data: read } as const;
  given(auditReadDecider, event).when({ type: 'RecordAuditRead', read }).thenEvents(event);
});

it('streams are named after the auditor, and those of reads after the day too', () => {
  expect(auditorIdOfStream(auditorStreamId(auditorId))).toBe(auditorId);
  expect([isAuditorId(auditorId), isAuditorId('aud_x')]).toEqual([true, false]);
  const reads = auditReadsStreamId(auditorId, '2030-01-31T23:59:59.999Z');
  expect(reads).toBe(`auditReads-${'0'.repeat(26)}-20300131`);
  expect([isAuditReadsStream(reads), isAuditReadsStream('auditReads-x')]).toEqual([true, false]);
});
