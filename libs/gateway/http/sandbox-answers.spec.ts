import type { Currency } from '@app/money';

import { SandboxRefusedError } from '../errors';
import { CountingRandom, ManualClock } from '../testing/environment';
import { SECRET } from '../testing/served-gateway';
import { sendSigned, StrangeGateway } from '../testing/strange-gateway';
import { HttpGateway } from './http-gateway';
import type { GatewayMode } from './signing';

const NO_LIMIT = new AbortController().signal;
const EUR = 'EUR' as Currency;
const REQUEST = { reference: 'txn_1', gatewayReference: 'gw_1', amount: { amountMinor: 1250n, currency: EUR } };
const APPROVED = { reference: 'txn_1', status: 'APPROVED', processorResponse: { code: '00', message: 'Approved' } };
const errorOf = (code: string) => ({ error: { code, message: 'm' } });

const clock = new ManualClock();
let strange: StrangeGateway;
let gateway: HttpGateway;

function open(allowsSandbox: boolean): void {
  gateway = new HttpGateway({ url: strange.url, secret: SECRET, allowsSandbox, clock, random: new CountingRandom() });
}

beforeEach(async () => {
  strange = await StrangeGateway.start();
});

afterEach(async () => {
  await gateway.close();
  await strange.close();
});

describe('where only a live gateway will do', () => {
  it.each([
    [200, APPROVED],
    [200, { ...APPROVED, status: 'DECLINED', declineCode: 'LOST_CARD' }],
    [200, { state: 'SUCCEEDED' }],
    [200, { gatewayReference: 'gw_1', riskScore: 1, riskLevel: 'LOW', nextAction: null }],
    [404, errorOf('TRANSACTION_NOT_FOUND')],
    [409, errorOf('REFERENCE_REUSED')],
    [503, errorOf('NOT_ACCEPTED')],
  ])('a sandbox’s %s %j tells nothing', async (status, message) => {
    open(false);
    strange.answering = (received, response) => sendSigned(received, response, status, message, { mode: 'sandbox' });
    const calls = [
      () => gateway.authorize(REQUEST, NO_LIMIT),
      () => gateway.inquire('txn_1', NO_LIMIT),
      () => gateway.challengeState('gw_1', NO_LIMIT),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow(SandboxRefusedError);
  });

  it('the first answer of a sandbox says that there is no gateway, and why, until a live one answers', async () => {
    open(false);
    strange.answering = (received, response) => sendSigned(received, response, 200, APPROVED, { mode: 'sandbox' });
    await expect(gateway.authorize(REQUEST, NO_LIMIT)).rejects.toThrow(SandboxRefusedError);
    expect(gateway.problem()).toBe('it is a sandbox, which production mode refuses');
    strange.answering = (received, response) => sendSigned(received, response, 200, APPROVED);
    await gateway.authorize(REQUEST, NO_LIMIT);
    expect(gateway.problem()).toBeNull();
  });
});

it('where a sandbox will do, its answers count, and those of a live gateway', async () => {
  open(true);
  for (const mode of ['sandbox', 'live'] as const) {
    strange.answering = (received, response) => sendSigned(received, response, 200, APPROVED, { mode });
    expect(await gateway.authorize(REQUEST, NO_LIMIT)).toMatchObject({ kind: 'approved' });
  }
});

it.each([true, false])(
  'an answer that does not say which it is, is not believed (sandboxes allowed: %p)',
  async (allows) => {
    open(allows);
    for (const mode of ['', 'other', 'LIVE']) {
      // Signed exactly as sent.
      strange.answering = (received, response) =>
        sendSigned(received, response, 200, APPROVED, { mode: mode as GatewayMode });
      await expect(gateway.authorize(REQUEST, NO_LIMIT)).rejects.toThrow('no right signature');
    }
  },
);
