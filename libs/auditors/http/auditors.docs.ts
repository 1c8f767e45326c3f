import type { ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import { id, object, oneOf, orNull, pageOf, ref, TEXT, TIME } from '@app/platform/http/openapi/schema';

const TAG = 'Auditors';
const NEW = { auditorId: id('aud'), name: TEXT, registeredAt: TIME, expiresAt: TIME };

export const auditorDocs: ResourceDocs = {
  tag: { name: TAG, description: 'Who may read everything, of all merchants, with the operations under `/audit/v1`.' },
  schemas: {
    RegisteredAuditor: object({ ...NEW, auditorToken: { type: 'string', pattern: '^cfa_' } }),
    Auditor: object({
      auditorId: id('aud'),
      name: orNull(TEXT),
      status: oneOf('ACTIVE', 'EXPIRED', 'REVOKED', 'DAMAGED'),
      registeredAt: orNull(TIME),
      expiresAt: orNull(TIME),
      revokedAt: orNull(TIME),
    }),
  },
  operations: {
    'GET /admin/v1/auditors': {
      operationId: 'listAuditors',
      tag: TAG,
      summary: 'List the auditors',
      description:
        'Returns all auditors, the newest first, revoked and expired ones too. The token is never shown again.',
      answers: {
        200: { description: 'A page of auditors.', schema: pageOf(ref('Auditor')), headers: ['Cache-Control'] },
      },
      errors: ['EVENT_STORE_UNAVAILABLE'],
    },
    'POST /admin/v1/auditors': {
      operationId: 'registerAuditor',
      tag: TAG,
      summary: 'Register an auditor',
      description:
        'Issues a token that reads all events of all merchants and changes nothing. It is shown only once, and expires within 366 days; ' +
        'register the auditor again for another. Each of its reads is recorded. After a lost answer, repeat the request with the same ' +
        'Idempotency-Key.',
      writesNewStream: true,
      requestExample: { name: 'Prüfer & Partner, annual audit', expiresAt: '2030-06-30T00:00:00Z' },
      answers: {
        201: { description: 'The auditor.', schema: ref('RegisteredAuditor'), headers: ['Cache-Control'] },
      },
    },
    'GET /admin/v1/auditors/:auditorId': {
      operationId: 'readAuditor',
      tag: TAG,
      summary: 'Read an auditor',
      description: 'Returns the auditor, without the token.',
      answers: { 200: { description: 'The auditor.', schema: ref('Auditor'), headers: ['Cache-Control'] } },
      errors: ['AUDITOR_NOT_FOUND', 'ROUTE_NOT_FOUND', 'EVENT_STORE_UNAVAILABLE', 'HISTORY_DAMAGED'],
    },
    'DELETE /admin/v1/auditors/:auditorId': {
      operationId: 'revokeAuditor',
      tag: TAG,
      summary: "Revoke an auditor's token",
      description:
        'Takes effect at once in the process that answers, and within a second in every other. Revoking it again changes nothing.',
      answers: { 204: { description: 'It is revoked.', schema: null } },
      errors: ['AUDITOR_NOT_FOUND', 'ROUTE_NOT_FOUND'],
    },
  },
};
