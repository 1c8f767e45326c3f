import { randomUUID } from 'node:crypto';
import { AuditorClient, type EventPage, type RegisteredAuditor, type StoredEventBody } from '../support/auditor-client';
import { useLedger } from '../support/ledger';
import { OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted } from '../support/payments';
import { refusal } from '../support/refusal';

const ledger = useLedger();
let operator: OperatorClient;
let auditor: AuditorClient;

beforeAll(async () => {
  operator = new OperatorClient(ledger.service);
  auditor = await AuditorClient.register(ledger.service, 'Prüfer & Partner');
});

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
const idOf = () => auditor.auditor.auditorId;
const dataOf = ({ data }: StoredEventBody) => JSON.parse(data) as Record<string, unknown>;
const recorded = async (client = auditor) => {
  const streams = await client.events(`/events?limit=500&stream=auditReads-${client.auditor.auditorId.slice(4)}`);
  return streams.map(dataOf);
};

describe('the operator', () => {
  it('registers an auditor, sees and revokes it, and the token is shown once', async () => {
    const registered = await operator.send('POST', '/auditors', { name: 'For a day', expiresAt: tomorrow() });
    const { auditorId, auditorToken } = bodyOf<RegisteredAuditor>(registered, 201);
    expect(auditorToken).toMatch(/^cfa_[A-Za-z0-9_-]{43}$/);
    const shown = bodyOf<object>(await operator.send('GET', `/auditors/${auditorId}`), 200);
    expect(shown).toMatchObject({ auditorId, name: 'For a day', status: 'ACTIVE', revokedAt: null });
    expect(JSON.stringify(shown)).not.toContain('cfa_');
    const client = new AuditorClient(ledger.service, registered.body as unknown as RegisteredAuditor);
    expect((await client.get('/head')).status).toBe(200);
    for (let time = 0; time < 2; time += 1) {
      bodyOf(await operator.send('DELETE', `/auditors/${auditorId}`), 204);
      expect(refusal(await client.get('/head'))).toEqual([401, 'UNAUTHENTICATED', []]);
    }
    const listed = bodyOf<{ items: readonly object[] }>(await operator.send('GET', '/auditors?limit=1'), 200);
    expect(listed.items).toEqual([{ ...shown, status: 'REVOKED', revokedAt: expect.any(String) }]);
  });

  it('cannot give a token for ever, nor write a card number', async () => {
    const register = async (change: object) =>
      refusal(await operator.send('POST', '/auditors', { name: 'A', expiresAt: tomorrow(), ...change }));
    const invalid = (problem: string) => [400, 'VALIDATION_FAILED', [problem]];
    expect(await register({ expiresAt: undefined })).toEqual(invalid('expiresAt: REQUIRED'));
    expect(await register({ expiresAt: '2020-01-01T00:00:00Z' })).toEqual(invalid('expiresAt: INVALID_FORMAT'));
    expect(await register({ expiresAt: '2999-01-01T00:00:00Z' })).toEqual(invalid('expiresAt: INVALID_FORMAT'));
    expect(await register({ name: '4111 1111 1111 1111' })).toEqual(invalid('name: CARD_DATA_NOT_ALLOWED'));
  });

  it('registers an auditor once for a key, with the same token', async () => {
    const key = randomUUID();
    const body = { name: 'Once', expiresAt: tomorrow() };
    const [first, again] = [
      await operator.send('POST', '/auditors', body, key),
      await operator.send('POST', '/auditors', body, key),
    ];
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await operator.send('POST', '/auditors', { ...body, name: 'Twice' }, key);
    expect(refusal(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED', []]);
  });
});

describe('an auditor', () => {
  it('opens nothing else, and nobody else opens what is for auditors', async () => {
    const { auditorToken } = auditor.auditor;
    const ask = async (path: string, token: string, method = 'GET') => {
      const headers = { Authorization: `Bearer ${token}` };
      return (await fetch(`${ledger.service.url}${path}`, { method, headers })).status;
    };
    expect(await ask('/api/v2/payments', auditorToken)).toBe(401);
    expect(await ask('/admin/v1/merchants', auditorToken)).toBe(401);
    expect(await ask('/audit/v1/head', ledger.client.credentials.accessToken)).toBe(401);
    expect(await ask('/audit/v1/head', ledger.service.operatorToken)).toBe(401);
    expect(await ask('/audit/v1/events', auditorToken, 'POST')).toBe(405);
  });

  it('reads all events in the order of the log, page by page, and the same ones stream by stream', async () => {
    const { paymentId } = await createCompleted(ledger.client);
    const all = await auditor.events('/events?limit=7');
    const positions = all.map(({ position }) => BigInt(position));
    expect(positions.every((position, index) => index === 0 || position > positions[index - 1]!)).toBe(true);
    const streamId = `payment-${paymentId.slice(4)}`;
    const ofPayment = all.filter((event) => event.streamId === streamId);
    expect(ofPayment.map(({ revision }) => revision)).toEqual(ofPayment.map((_event, index) => index));
    expect(ofPayment.length).toBeGreaterThan(3);
    const path = `/streams/${streamId}/events`;
    expect(await auditor.events(`${path}?limit=2`)).toEqual(ofPayment);
    expect(await auditor.events(`${path}?limit=2&direction=backwards`)).toEqual(ofPayment.toReversed());
    expect(await auditor.events(`${path}?from=1`)).toEqual(ofPayment.slice(1));
    expect(await auditor.events(`${path}?from=1&direction=backwards`)).toEqual(ofPayment.slice(0, 2).reverse());
    expect(await auditor.events('/streams/payment-unknown/events')).toEqual([]);
    expect(await auditor.events(`/events?stream=${streamId}&limit=3`)).toEqual(ofPayment);
    const after = ofPayment[1]!.position;
    expect(await auditor.events(`/events?stream=${streamId}&after=${after}`)).toEqual(ofPayment.slice(2));
    const secrets = ledger.client.credentials;
    for (const secret of [secrets.accessToken, secrets.signingSecret, secrets.webhookSecret, '4111111111111111']) {
      expect(JSON.stringify(all)).not.toContain(secret);
    }
  });

  it('comes to an end, though each page that is read is one more event', async () => {
    const own = `/events?limit=1&stream=auditReads-${idOf().slice(4)}`;
    const [known, again] = [await auditor.events(own), await auditor.events(own)];
    expect(again.length).toBe(known.length * 2);
    const { streamId } = again[0]!;
    expect((await auditor.events(`/streams/${streamId}/events?limit=1`)).length).toBeGreaterThan(again.length);
  });

  it('goes on later from where it was', async () => {
    const head = bodyOf<{ position: string }>(await auditor.get('/head'), 200).position;
    const { paymentId } = await createCompleted(ledger.client);
    const later = await auditor.events(`/events?after=${head}&stream=payment-${paymentId.slice(4)}`);
    expect(later[0]).toMatchObject({ revision: 0, type: 'PaymentCreated' });
    const end = bodyOf<EventPage>(await auditor.get(`/events?after=${'9'.repeat(18)}`), 200);
    expect(end).toEqual({ items: [], nextCursor: null });
  });

  it("reads any merchant's payment as the merchant does, without the customer's links, and the merchants", async () => {
    const other = await operator.register('Of another');
    const { paymentId } = await createCompleted(other);
    const own = await other.send('GET', `/api/v2/payments/${paymentId}`, undefined, {}, false);
    const read = bodyOf(await auditor.get(`/payments/${paymentId}`), 200);
    expect(read).toEqual({ merchantId: other.credentials.merchantId, payment: own.body });
    expect(refusal(await auditor.get(`/payments/pay_${'0'.repeat(26)}`))).toEqual([404, 'PAYMENT_NOT_FOUND', []]);
    const { items } = bodyOf<{ items: readonly object[] }>(await auditor.get('/merchants?limit=1'), 200);
    expect(items).toEqual([expect.objectContaining({ merchantId: other.credentials.merchantId, name: 'Of another' })]);
    bodyOf(await auditor.get('/damaged-streams'), 200);
  });

  it('is recorded, with what was asked and how much was given, and what was refused', async () => {
    const fresh = await AuditorClient.register(ledger.service);
    const requestId = randomUUID();
    const { items } = bodyOf<EventPage>(
      await fresh.get('/events?limit=3&stream=keys', { 'X-Request-ID': requestId }),
      200,
    );
    expect(refusal(await fresh.get('/payments/4111111111111111'))).toEqual([404, 'PAYMENT_NOT_FOUND', []]);
    expect(refusal(await fresh.get('/events?cursor=AAAA'))).toEqual([400, 'CURSOR_INVALID', []]);
    const { auditorId } = fresh.auditor;
    const positions = [items.at(0)!.position, items.at(-1)!.position];
    const asked = [
      ['limit', '3'],
      ['stream', 'keys'],
    ];
    expect(await recorded(fresh)).toEqual([
      { auditorId, operation: '/audit/v1/events', parameters: asked, items: items.length, positions },
      {
        auditorId,
        operation: '/audit/v1/payments/:paymentId',
        parameters: [['paymentId', '[digits]']],
        items: 0,
        error: 'PAYMENT_NOT_FOUND',
      },
      { auditorId, operation: '/audit/v1/events', parameters: [], items: 0, error: 'CURSOR_INVALID' },
    ]);
    const [first] = await fresh.events(`/events?stream=auditReads-${auditorId.slice(4)}`);
    expect(JSON.parse(first!.metadata)).toMatchObject({ correlationId: requestId, actor: `auditor:${auditorId}` });
  });

  it('is given nothing that is not recorded, however many requests there are at once', async () => {
    const fresh = await AuditorClient.register(ledger.service);
    const answers = await Promise.all(Array.from({ length: 40 }, () => fresh.get('/head')));
    const refused = answers.filter(({ status }) => status !== 200);
    for (const answer of refused) {
      expect([refusal(answer)[1], answer.headers.get('retry-after')]).toEqual(['RATE_LIMITED', '1']);
    }
    expect(await recorded(fresh)).toHaveLength(answers.length - refused.length);
  });
});
