import type { Currency } from '@app/money';

import { GatewayOutcomeUnknownError, GatewayUnavailableError } from '../port';
import { CountingRandom, ManualClock } from '../testing/environment';
import { SECRET } from '../testing/served-gateway';
import { sendSigned, StrangeGateway } from '../testing/strange-gateway';
import { MAX_CONNECTIONS } from './exchange';
import { HttpGateway } from './http-gateway';

const EUR = 'EUR' as Currency;
const REQUEST = { reference: 'txn_1', gatewayReference: 'gw_1', amount: { amountMinor: 1250n, currency: EUR } };
const APPROVED = { reference: 'txn_1', status: 'APPROVED', processorResponse: { code: '00', message: 'Approved' } };

let strange: StrangeGateway;
let gateway: HttpGateway;

beforeEach(async () => {
  strange = await StrangeGateway.start();
  const environment = { clock: new ManualClock(), random: new CountingRandom() };
  gateway = new HttpGateway({ url: strange.url, secret: SECRET, allowsSandbox: false, ...environment });
});

afterEach(async () => {
  await gateway.close();
  await strange.close();
});

const authorize = () => gateway.authorize(REQUEST, new AbortController().signal);

describe('a kept connection', () => {
  it('that ends as it is used again costs nothing: the request goes over another one, under another id', async () => {
    strange.answering = (received, response) => sendSigned(received, response, 200, APPROVED);
    await authorize();
    strange.answering = (received, response, socket) => {
      if (strange.received.length === 2) socket.destroy();
      else sendSigned(received, response, 200, APPROVED);
    };
    expect(await authorize()).toMatchObject({ kind: 'approved' });
    expect([strange.received.length, strange.connections]).toEqual([3, 2]);
    expect(new Set(strange.received.map(({ requestId }) => requestId)).size).toBe(3);
    expect(strange.received[1]?.body).toBe(strange.received[2]?.body);
  });

  it('that ends after the act, whereupon nobody listens any more, leaves the outcome unknown', async () => {
    strange.answering = (received, response) => sendSigned(received, response, 200, APPROVED);
    await authorize();
    strange.answering = () => void strange.close();
    await expect(authorize()).rejects.toThrow(GatewayOutcomeUnknownError);
    expect(strange.received).toHaveLength(2);
    // A call that is not sent at all has a certain outcome again.
    await expect(authorize()).rejects.toThrow(GatewayUnavailableError);
  });

  it('that ends after the act, whereupon nothing is taken, leaves the outcome unknown', async () => {
    strange.answering = (received, response) => sendSigned(received, response, 200, APPROVED);
    await authorize();
    strange.answering = (received, response, socket) => {
      if (strange.received.length === 2) socket.destroy();
      else sendSigned(received, response, 503, { error: { code: 'NOT_ACCEPTED', message: 'm' } });
    };
    await expect(authorize()).rejects.toThrow(GatewayOutcomeUnknownError);
    expect(strange.received).toHaveLength(3);
    await expect(authorize()).rejects.toThrow(GatewayUnavailableError);
  });

  it('that was waited for, since no more were to be had, is one on which a request may arrive', async () => {
    const waiting: (() => void)[] = [];
    strange.answering = (received, response) => {
      waiting.push(() => sendSigned(received, response, 200, APPROVED));
    };
    const first = Array.from({ length: MAX_CONNECTIONS }, () => authorize());
    while (waiting.length < MAX_CONNECTIONS) await new Promise((wake) => setTimeout(wake, 5));
    const last = authorize();
    strange.answering = (_received, _response, socket) => socket.destroy();
    for (const answer of waiting) answer();
    await Promise.all(first);
    await expect(last).rejects.toThrow(GatewayOutcomeUnknownError);
    expect(strange.received.length).toBeGreaterThan(MAX_CONNECTIONS);
  });

  it('is tried once only', async () => {
    strange.answering = (received, response) => sendSigned(received, response, 200, APPROVED);
    await authorize();
    strange.answering = (_received, _response, socket) => socket.destroy();
    await expect(authorize()).rejects.toThrow(GatewayOutcomeUnknownError);
    expect(strange.received).toHaveLength(3);
  });
});
