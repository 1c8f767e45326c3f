import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';

import type { Currency } from '@app/money';
import { selfSigned } from '@app/webhooks/testing/self-signed';

import { GatewayReferenceReusedError } from '../errors';
import { GatewayOutcomeUnknownError, GatewayUnavailableError } from '../port';
import { CountingRandom, ManualClock } from '../testing/environment';
import { SECRET } from '../testing/served-gateway';
import { sendSigned, StrangeGateway } from '../testing/strange-gateway';
import { MAX_ANSWER_BYTES } from './exchange';
import { HttpGateway } from './http-gateway';
import { signAnswer } from './signing';

const NO_LIMIT = new AbortController().signal;
const EUR = 'EUR' as Currency;
const REQUEST = { reference: 'txn_1', gatewayReference: 'gw_1', amount: { amountMinor: 1250n, currency: EUR } };
const APPROVED = { reference: 'txn_1', status: 'APPROVED', processorResponse: { code: '00', message: 'Approved' } };
const DECLINED = { ...APPROVED, status: 'DECLINED', declineCode: 'LOST_CARD' };
const NUMBER = '4111111111111111';
const REGISTER = {
  paymentId: 'pay_1',
  fingerprint: 'f',
  merchantId: 'm',
  merchantName: 'Tea',
  orderId: 'o',
  amount: REQUEST.amount,
  card: { number: NUMBER, expiryMonth: '12', expiryYear: '2030', cvv: '737' },
  expiresAtMs: Date.UTC(2026, 0, 15, 12, 30),
};

let strange: StrangeGateway;
let gateway: HttpGateway;
const opened: { close(): Promise<void> }[] = [];

function gatewayAt(url: string, ca?: string): HttpGateway {
  const environment = { clock: new ManualClock(), random: new CountingRandom() };
  const options = { url, secret: SECRET, allowsSandbox: false, ...environment };
  const opening = new HttpGateway(ca === undefined ? options : { ...options, ca });
  opened.push(opening);
  return opening;
}

beforeEach(async () => {
  strange = await StrangeGateway.start();
  gateway = gatewayAt(strange.url);
});

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  await strange.close();
});

const authorize = (signal = NO_LIMIT) => gateway.authorize(REQUEST, signal);

describe('a request that did not arrive', () => {
  it('was not acted upon where nobody listens', async () => {
    await strange.close();
    await expect(authorize()).rejects.toThrow(GatewayUnavailableError);
    await expect(gateway.register(REGISTER, NO_LIMIT)).rejects.toThrow(GatewayUnavailableError);
  });

  it('was not acted upon where the certificate is not trusted', async () => {
    const secure = await StrangeGateway.start(selfSigned({ ipv4: '127.0.0.1' }));
    await expect(gatewayAt(secure.url).authorize(REQUEST, NO_LIMIT)).rejects.toThrow(GatewayUnavailableError);
    expect(secure.received).toEqual([]);
    await secure.close();
  });

  it('may have been acted upon where the connection was taken and ended before an answer', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(gatewayAt(`http://127.0.0.1:${port}`).authorize(REQUEST, NO_LIMIT)).rejects.toThrow(
      GatewayOutcomeUnknownError,
    );
    server.close();
  });
});

it('goes over TLS to a gateway whose certificate is trusted', async () => {
  const certificate = selfSigned({ ipv4: '127.0.0.1' });
  const secure = await StrangeGateway.start(certificate);
  secure.answering = (received, response) => sendSigned(received, response, 200, APPROVED);
  const trusting = gatewayAt(secure.url, certificate.cert);
  expect(await trusting.authorize(REQUEST, NO_LIMIT)).toMatchObject({ kind: 'approved' });
  expect(await trusting.authorize(REQUEST, NO_LIMIT)).toMatchObject({ kind: 'approved' });
  expect(secure.connections).toBe(1);
  await secure.close();
});

describe('an answer tells nothing', () => {
  const unknown = () => expect(authorize()).rejects.toThrow(GatewayOutcomeUnknownError);

  it('when the connection is cut after the request arrived', async () => {
    strange.answering = (_received, _response, socket) => socket.destroy();
    await unknown();
    expect(strange.received).toHaveLength(1);
  });

  it('when it is cut in the middle', async () => {
    strange.answering = (_received, response, socket) => {
      response.writeHead(200, { 'Content-Length': '500' });
      response.write('{"reference":', () => socket.destroy());
    };
    await unknown();
  });

  it.each([
    ['is signed with another secret', { secret: 'another secret' }],
    ['is signed for another status', { signedStatus: 409 }],
    ['is signed for another mode', { signedMode: 'sandbox' as const }],
  ])('when it %s', async (_name, wrong) => {
    for (const message of [APPROVED, DECLINED]) {
      strange.answering = (received, response) => sendSigned(received, response, 200, message, wrong);
      await unknown();
    }
  });

  it('when it has no signature, or two', async () => {
    strange.answering = (_received, response) => response.end(JSON.stringify(DECLINED));
    await unknown();
    strange.answering = ({ requestId }, _response, socket) => {
      const body = JSON.stringify(DECLINED);
      const signature = `X-Signature: ${signAnswer(SECRET, { status: 200, mode: 'live', requestId, body: Buffer.from(body) })}\r\n`;
      socket.end(
        `HTTP/1.1 200 OK\r\nX-Gateway-Mode: live\r\n${signature}${signature}Content-Length: ${body.length}\r\n\r\n${body}`,
      );
    };
    await unknown();
  });

  it('when it is the answer to another request, played again', async () => {
    let recorded = { requestId: '' };
    strange.answering = (received, response) => {
      recorded = received;
      sendSigned(received, response, 200, APPROVED);
    };
    expect(await authorize()).toMatchObject({ kind: 'approved' });
    strange.answering = (_received, response) => sendSigned(recorded, response, 200, APPROVED);
    await unknown();
  });

  it('when it is of another transaction', async () => {
    strange.answering = (received, response) =>
      sendSigned(received, response, 200, { ...APPROVED, reference: 'txn_2' });
    await unknown();
  });

  it.each([
    ['no JSON', '<html>'],
    ['another status', { ...APPROVED, status: 'MAYBE' }],
    ['no words of the processor', { ...APPROVED, processorResponse: undefined }],
    ['a list', [APPROVED]],
  ])('when it is signed and cannot be understood: %s', async (_name, message) => {
    strange.answering = (received, response) => sendSigned(received, response, 200, message);
    await unknown();
  });

  it.each([500, 502, 503, 504, 404, 409, 401, 302])('when something in between says %s', async (status) => {
    strange.answering = (_received, response) => {
      response.writeHead(status, { 'Content-Type': 'text/html', Location: `${strange.url}/elsewhere` });
      response.end('<h1>Bad gateway</h1>');
    };
    await unknown();
    await expect(gateway.inquire('txn_1', NO_LIMIT)).rejects.toThrow(GatewayOutcomeUnknownError);
    expect(strange.received).toHaveLength(2);
  });

  it('when it never ends, and no more of it is read than can be', async () => {
    strange.answering = (_received, response) => {
      response.writeHead(200);
      const go = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16 * 1024, 32)));
      };
      response.on('drain', go);
      go();
    };
    const failure: unknown = await authorize().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(GatewayOutcomeUnknownError);
    expect(inspect(failure)).toContain(`larger than ${MAX_ANSWER_BYTES} bytes`);
  });

  it('when it switches protocols', async () => {
    strange.answering = (_received, _response, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: else\r\n\r\n');
    };
    await unknown();
  });

  it('once the time is over, however slowly it drips, and its connection is given up', async () => {
    const limit = new AbortController();
    strange.answering = (_received, response) => {
      response.writeHead(200, { 'Content-Length': '1000' });
      response.write('{');
      const timer = setInterval(() => response.write(' '), 5);
      response.once('close', () => {
        clearInterval(timer);
      });
      setTimeout(() => limit.abort(), 50);
    };
    await expect(authorize(limit.signal)).rejects.toThrow(GatewayOutcomeUnknownError);
    while (strange.openConnections > 0) await new Promise((wake) => setTimeout(wake, 5));
  });
});

describe('a signed error', () => {
  it.each([
    [503, 'NOT_ACCEPTED', GatewayUnavailableError],
    [503, 'ELSE', GatewayOutcomeUnknownError],
    [200, 'NOT_ACCEPTED', GatewayOutcomeUnknownError],
    [400, 'INVALID_REQUEST', GatewayOutcomeUnknownError],
    [500, 'INTERNAL_ERROR', GatewayOutcomeUnknownError],
    [504, 'OUTCOME_UNKNOWN', GatewayOutcomeUnknownError],
    [409, 'REFERENCE_REUSED', GatewayReferenceReusedError],
    [404, 'TRANSACTION_NOT_FOUND', GatewayOutcomeUnknownError],
  ])('%s %s of an act is a %p', async (status, code, error) => {
    strange.answering = (received, response) =>
      sendSigned(received, response, status, { error: { code, message: 'm' } });
    await expect(authorize()).rejects.toThrow(error);
  });

  it('TRANSACTION_NOT_FOUND answers an inquiry, and no other one does', async () => {
    let code = 'TRANSACTION_NOT_FOUND';
    strange.answering = (received, response) => sendSigned(received, response, 404, { error: { code, message: 'm' } });
    expect(await gateway.inquire('txn_1', NO_LIMIT)).toEqual({ kind: 'not-found' });
    code = 'ROUTE_NOT_FOUND';
    await expect(gateway.inquire('txn_1', NO_LIMIT)).rejects.toThrow(GatewayOutcomeUnknownError);
  });
});

describe('what is taken over from an answer', () => {
  const outcomeOf = (message: object) => {
    strange.answering = (received, response) => sendSigned(received, response, 200, message);
    return authorize();
  };

  it('holds no card number, and no more words than are kept', async () => {
    const words = { code: `${NUMBER}00`, message: `Card ${NUMBER} is lost` };
    expect(await outcomeOf({ ...DECLINED, processorResponse: words })).toEqual({
      kind: 'declined',
      code: 'LOST_CARD',
      processorResponse: { code: 'withheld', message: 'withheld' },
    });
    expect(await outcomeOf({ ...APPROVED, processorResponse: { code: '00', message: 'é'.repeat(300) } })).toEqual({
      kind: 'approved',
      processorResponse: { code: '00', message: 'é'.repeat(200) },
    });
  });

  it('is a decline also by a code that is not known here', async () => {
    expect(await outcomeOf({ ...DECLINED, declineCode: 'NEW_REASON' })).toMatchObject({
      kind: 'declined',
      code: 'PROCESSING_ERROR',
    });
  });

  it.each([
    ['a card number as reference', { gatewayReference: NUMBER }],
    ['a card number in an address', { nextAction: { type: '3DS_AUTHENTICATION', redirectUrl: `https://a/${NUMBER}` } }],
    ['an address that is none', { nextAction: { type: '3DS_AUTHENTICATION', redirectUrl: 'javascript:alert(1)' } }],
    ['a risk beyond the scale', { riskScore: 101 }],
  ])('is no registration with %s', async (_name, change) => {
    const registration = { gatewayReference: 'gw_1', riskScore: 1, riskLevel: 'LOW', nextAction: null };
    let message: object = registration;
    strange.answering = (received, response) => sendSigned(received, response, 200, message);
    expect(await gateway.register(REGISTER, NO_LIMIT)).toEqual(registration);
    const nextAction = 'nextAction' in change ? { fallbackUrl: 'https://a/form', ...change.nextAction } : null;
    message = { ...registration, ...change, nextAction };
    const failure: unknown = await gateway.register(REGISTER, NO_LIMIT).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(GatewayOutcomeUnknownError);
    expect(inspect(failure, { depth: 9 })).not.toMatch(new RegExp(`${NUMBER}|737`));
  });
});

describe('whether the gateway is there', () => {
  it('is doubted after three calls without an answer, and asked for until there is one again', async () => {
    const clock = new ManualClock();
    const options = { url: strange.url, secret: SECRET, allowsSandbox: false, random: new CountingRandom() };
    const watched = new HttpGateway({ ...options, clock });
    opened.push(watched);
    strange.answering = (_received, _response, socket) => socket.destroy();
    const call = () => watched.authorize(REQUEST, NO_LIMIT).catch(() => undefined);
    await call();
    await call();
    expect(watched.problem()).toBeNull();
    await call();
    expect(watched.problem()).toBe('it gives no answer that can be used');
    const message = { error: { code: 'TRANSACTION_NOT_FOUND', message: 'm' } };
    strange.answering = (received, response) => sendSigned(received, response, 404, message);
    while (watched.problem() !== null) {
      clock.advance(1_000);
      await new Promise((wake) => setTimeout(wake, 5));
    }
    expect(strange.received.at(-1)).toMatchObject({ method: 'GET', path: '/v1/transactions/probe' });
  });
});
