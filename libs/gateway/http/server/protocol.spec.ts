import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { RecordingLogger } from '@app/platform/testing';

import { GatewayReferenceReusedError } from '../../errors';
import { GatewayOutcomeUnknownError, GatewayUnavailableError, type PaymentGateway } from '../../port';
import { SandboxBooks } from '../../sandbox/sandbox-books';
import { SandboxGateway } from '../../sandbox/sandbox-gateway';
import { CountingRandom, ManualClock } from '../../testing/environment';
import { GatewayDocument } from '../../testing/gateway-document';
import { SECRET, serveGateway, type ServedModule } from '../../testing/served-gateway';
import { isAnswerSigned, type SignedRequest, signRequest } from '../signing';

const clock = new ManualClock();
const logger = new RecordingLogger();
const document = new GatewayDocument();
const folder = mkdtempSync(join(tmpdir(), 'gateway-protocol-'));
const file = join(folder, 'gateway.sqlite');
const NUMBER = '4111111111111111';
const REGISTER = {
  paymentId: 'pay_1',
  fingerprint: 'f',
  merchantId: 'm',
  merchantName: 'Tea',
  orderId: 'o',
  amount: { amountMinor: '1250', currency: 'EUR' },
  card: { number: NUMBER, expiryMonth: '12', expiryYear: '2030', cvv: '737' },
  expiresAt: '2026-01-15T12:30:00Z',
};

let sandbox: SandboxGateway;
/** The gateway that is served: the sandbox, or a test's replacement. */
let behind: Partial<PaymentGateway> = {};
let server: ServedModule;

beforeAll(async () => {
  sandbox = SandboxGateway.open({ file, publicUrl: 'http://127.0.0.1:3100', clock, random: new CountingRandom() });
  const either = new Proxy(sandbox, {
    get: (target, name) => Reflect.get(name in behind ? behind : target, name) as unknown,
  });
  server = await serveGateway(either, clock, { logger, document });
});

afterEach(() => {
  behind = {};
});

afterAll(async () => {
  await server.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly message?: unknown;
  /** Signed instead of what is sent. */
  readonly signed?: Partial<SignedRequest>;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly secret?: string;
  readonly signal?: AbortSignal;
}

let requests = 0;

async function send({ path, message, signed = {}, headers = {}, secret = SECRET, ...sent }: Sent) {
  requests += 1;
  const method = sent.method ?? (message === undefined ? 'GET' : 'POST');
  const body = message === undefined ? '' : typeof message === 'string' ? message : JSON.stringify(message);
  const requestId = `request-${requests}`;
  const timestamp = signed.timestamp ?? new Date(clock.nowMs()).toISOString();
  const request = { direction: 'request', method, path, timestamp, requestId, body: Buffer.from(body) } as const;
  const all: Record<string, string | null> = {
    'Content-Type': 'application/json',
    'X-Request-ID': requestId,
    'X-Timestamp': timestamp,
    'X-Signature': signRequest(secret, { ...request, ...signed }),
    ...headers,
  };
  const response = await fetch(server.url + path, {
    method,
    headers: Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
    ...(body === '' ? {} : { body }),
    signal: sent.signal ?? null,
  });
  const text = await response.text();
  const signature = response.headers.get('x-signature') ?? '';
  const { status } = response;
  const isSigned = isAnswerSigned(SECRET, signature, { status, mode: 'sandbox', requestId, body: Buffer.from(text) });
  return { status, isSigned, signature, headers: response.headers, text, body: JSON.parse(text) };
}

const register = (change: object = {}) => send({ path: '/v1/registrations', message: { ...REGISTER, ...change } });

describe('a request', () => {
  it('that is signed gets a signed answer', async () => {
    const answer = await register();
    expect(answer).toMatchObject({ status: 200, isSigned: true, body: { riskLevel: 'LOW', nextAction: null } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-gateway-mode')).toBe('sandbox');
  });

  it.each<[string, Partial<Sent>]>([
    ['without a signature', { headers: { 'X-Signature': null } }],
    ['without a time', { headers: { 'X-Timestamp': null } }],
    ['without an id', { headers: { 'X-Request-ID': null } }],
    ['with another id than was signed', { headers: { 'X-Request-ID': 'other' } }],
    ['with an id that is none', { headers: { 'X-Request-ID': 'a b' }, signed: { requestId: 'a b' } }],
    ['signed with another secret', { secret: 'another' }],
    ['signed for another method', { signed: { method: 'PUT' } }],
    ['signed for another path', { signed: { path: '/v1/captures' } }],
    ['signed for another body', { signed: { body: Buffer.from('{}') } }],
    ['signed as a callback', { signed: { direction: 'callback' } }],
    ['of too long ago', { signed: { timestamp: new Date(clock.nowMs() - 300_001).toISOString() } }],
    ['of the future', { signed: { timestamp: new Date(clock.nowMs() + 300_001).toISOString() } }],
    ['of no time at all', { signed: { timestamp: 'now' } }],
  ])('%s is refused, without a signed answer, and nothing is done', async (_name, change) => {
    const act = jest.fn();
    behind = { authorize: act };
    const message = { reference: 'txn_refused', gatewayReference: 'gw_1', amount: REGISTER.amount };
    const answer = await send({ path: '/v1/authorizations', message, ...change });
    expect(answer).toMatchObject({ status: 401, signature: '', body: { error: { code: 'UNAUTHENTICATED' } } });
    expect(act).not.toHaveBeenCalled();
  });

  it('that is played again does nothing more', async () => {
    const { gatewayReference } = (await register({ paymentId: 'pay_again' })).body;
    const message = { reference: 'txn_again', gatewayReference, amount: REGISTER.amount };
    const [first, second] = [
      await send({ path: '/v1/authorizations', message }),
      await send({ path: '/v1/authorizations', message }),
    ];
    expect(first.body).toMatchObject({ reference: 'txn_again', status: 'APPROVED' });
    expect(second.text).toBe(first.text);
    const books = new SandboxBooks(file);
    expect(books.countsFor('pay_again').authorizations.count).toBe(1);
    books.close();
  });

  it.each([
    ['the body', '{"card": 4111111111111111'],
    ['the body', '[]'],
    ['paymentId', { ...REGISTER, paymentId: 'pay 1' }],
    ['amount.amountMinor', { ...REGISTER, amount: { amountMinor: 1250, currency: 'EUR' } }],
    ['amount.amountMinor', { ...REGISTER, amount: { amountMinor: '1'.repeat(19), currency: 'EUR' } }],
    ['amount.currency', { ...REGISTER, amount: { amountMinor: '1250', currency: 'XXX' } }],
    ['card.number', { ...REGISTER, card: { ...REGISTER.card, number: `${NUMBER} ` } }],
    ['card.cvv', { ...REGISTER, card: { ...REGISTER.card, cvv: '73737' } }],
    ['card', { ...REGISTER, card: NUMBER }],
    ['riskData.geoLocation', { ...REGISTER, riskData: { geoLocation: 'NZ' } }],
    ['returnUrl', { ...REGISTER, returnUrl: 'javascript:alert(1)' }],
    ['expiresAt', { ...REGISTER, expiresAt: '2026-02-30T00:00:00Z' }],
  ])('that is malformed is answered by the name of its field: %s', async (field, message) => {
    const answer = await send({ path: '/v1/registrations', message });
    expect(answer).toMatchObject({ status: 400, isSigned: true, body: { error: { code: 'INVALID_REQUEST' } } });
    expect(answer.body.error.message).toContain(`(${field} `);
    expect(answer.text).not.toMatch(/411111|737/);
  });

  it('takes fields that are not known here, and empty ones that may be left out', async () => {
    const card = { ...REGISTER.card, holderName: '', network: 'visa' };
    const message = { paymentId: 'pay_more', description: '', card, riskData: { ipAddress: '', geoLocation: {} } };
    expect((await register({ ...message, later: [1] })).status).toBe(200);
  });

  it('may say what the payment is for, in so many characters and lines as the service takes', async () => {
    const description = `Tea\n${'🍵'.repeat(996)}`;
    const card = { ...REGISTER.card, number: '4000000000003220' };
    const { body } = await register({ paymentId: 'pay_tea', description, card });
    const token = body.nextAction.redirectUrl.split('/').at(-1);
    expect(sandbox.challenges.find('page', token)).toMatchObject({ description, cardLastFour: '3220' });
    expect((await register({ paymentId: 'pay_long', description: `${description}!` })).status).toBe(400);
  });

  it('that is too large is not read by the gateway', async () => {
    const answer = await register({ orderId: 'o'.repeat(65 * 1024) });
    expect(answer).toMatchObject({ status: 413, isSigned: true, body: { error: { code: 'TOO_LARGE' } } });
  });

  it('for a reference or registration that can be none is malformed', async () => {
    for (const path of ['/v1/transactions/a%20b', `/v1/registrations/${'g'.repeat(129)}/challenge`]) {
      expect(await send({ path })).toMatchObject({ status: 400, isSigned: true });
    }
  });
});

describe('what the gateway behind throws', () => {
  it.each([
    [new GatewayUnavailableError(`away with ${NUMBER}`), 503, 'NOT_ACCEPTED'],
    [new GatewayOutcomeUnknownError('lost'), 504, 'OUTCOME_UNKNOWN'],
    [new GatewayReferenceReusedError('txn_1'), 409, 'REFERENCE_REUSED'],
    [new Error(`a bug with ${NUMBER}`), 500, 'INTERNAL_ERROR'],
  ])('%p', async (error, status, code) => {
    behind = { capture: () => Promise.reject(error) };
    const message = { reference: 'txn_1', gatewayReference: 'gw_1', amount: REGISTER.amount };
    const answer = await send({ path: '/v1/captures', message });
    expect(answer).toMatchObject({ status, isSigned: true, body: { error: { code } } });
    expect(answer.text).not.toContain(NUMBER);
    expect(answer.headers.get('retry-after')).toBe(status === 503 ? '5' : null);
    expect(logger.records.filter(({ level }) => level === 'error')).toHaveLength(status === 500 ? 1 : 0);
    logger.records.length = 0;
  });
});

describe('a gateway that does not answer', () => {
  const message = { reference: 'txn_slow', gatewayReference: 'gw_1', amount: REGISTER.amount };

  /** Resolves with the call's signal; the call ends when it aborts. */
  function untilCalled(): Promise<AbortSignal> {
    return new Promise((called) => {
      behind = {
        void: (_request, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new GatewayOutcomeUnknownError('given up')));
            called(signal);
          }),
      };
    });
  }

  it('is given up when nobody waits any more', async () => {
    const calling = untilCalled();
    const caller = new AbortController();
    const sent = send({ path: '/v1/voids', message, signal: caller.signal }).catch(() => 'gone');
    const signal = await calling;
    expect(signal.aborted).toBe(false);
    caller.abort();
    expect(await sent).toBe('gone');
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  });

  it('is given up after half a minute, and its outcome is said to be unknown', async () => {
    const calling = untilCalled();
    const sent = send({ path: '/v1/voids', message });
    await calling;
    clock.advance(30_000);
    expect(await sent).toMatchObject({ status: 504, isSigned: true, body: { error: { code: 'OUTCOME_UNKNOWN' } } });
  });
});

it('answered all that as the protocol’s document has it', () => {
  expect(document.problems).toEqual([]);
  for (const answered of ['register 400', 'register 413', 'authorize 401', 'capture 500', 'capture 503', 'void 504']) {
    expect(document.seen).toContain(answered);
  }
});
