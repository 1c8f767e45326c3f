import { CREATED_AT, entry, type GlossaryEntry } from './glossary-entry';

const POSITION = '120401';
const CURSOR = 'AAECAwQFBgcyMDMwLTAxLTAx';

/** The meaning of the fields of auditors and of what they read, as in `GLOSSARY`. */
export const AUDITOR_GLOSSARY: Readonly<Record<string, GlossaryEntry>> = {
  auditorId: entry('The auditor. It opens nothing.', 'aud_01JGFJJZ00Q8V5T3N7R2M4K6H9'),
  auditorToken: entry('Reads everything. Shown this once.', 'cfa_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'),
  'registerAuditor.name': entry("The auditor's name, for you.", 'Prüfer & Partner, annual audit'),
  'RegisteredAuditor.name': entry("The auditor's name.", 'Prüfer & Partner, annual audit'),
  'Auditor.name': entry("The auditor's name. Null if the stored history is damaged.", 'Prüfer & Partner, annual audit'),
  'registerAuditor.expiresAt': entry('When the token expires: within 366 days.', '2030-06-30T00:00:00.000Z'),
  'RegisteredAuditor.expiresAt': entry('When the token expires.', '2030-06-30T00:00:00.000Z'),
  'Auditor.expiresAt': entry('When the token expires.', '2030-06-30T00:00:00.000Z'),
  'Auditor.status': entry(
    '`ACTIVE` while the token is accepted. `DAMAGED`: the stored history is damaged, the token is refused, and no other field is shown.',
    'ACTIVE',
  ),
  'listAuditors.items': entry('The auditors, the newest first.'),

  'auditEvents.items': entry('The events, in the order of the log.'),
  'auditStreamEvents.items': entry('The events, in the order of the stream, or from its end.'),
  'auditMerchants.items': entry('The merchants, the newest first.'),
  'auditDamagedStreams.items': entry('The streams, in the order in which they were found.'),
  'auditHead.position': entry('Of the last event of the log. Null if there is none.', POSITION),
  'auditPayment.payment': entry('The payment, as its merchant reads it.'),
  'auditEvents.after': entry(
    'The `position` of an event. The list begins after it. Absent: at the first event.',
    POSITION,
  ),
  'auditEvents.stream': entry('Only events of streams whose names begin so. Absent: of all streams.', 'payment-'),
  'auditEvents.cursor': entry(
    'The `nextCursor` of the page before, with the same `stream`. Absent: the first page.',
    CURSOR,
  ),
  'auditStreamEvents.from': entry('The first revision wanted. Absent: the end from which is read.', 0),
  'auditStreamEvents.direction': entry('From the beginning, or from the end. Absent: `forwards`.', 'forwards'),
  'StoredEvent.position': entry('Its place in the log. It only orders: there may be gaps.', POSITION),
  'StoredEvent.streamId': entry('The stream that it is in.', 'payment-01JGFJJZ00Q8V5T3N7R2M4K6H9'),
  'StoredEvent.id': entry('The identifier of the stored event.', '3f1c2a34-9d7e-4b1a-8c55-0d6a4f1e2b90'),
  'StoredEvent.type': entry('The type of the stored event.', 'PaymentAuthenticated'),
  'StoredEvent.data': entry('JSON, as the bytes that are stored.', '{"paymentId":"pay_01JGFJJZ00Q8V5T3N7R2M4K6H9"}'),
  'StoredEvent.metadata': entry(
    'JSON, as the bytes that are stored: version, time, who acted, and the hashes.',
    `{"schemaVersion":1,"recordedAt":"${CREATED_AT}"}`,
  ),
};
