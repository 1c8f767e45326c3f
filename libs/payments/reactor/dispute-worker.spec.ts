import type { GatewayDispute } from '@app/gateway/port';
import type { Currency } from '@app/money';
import { GATEWAY_DISPUTES_STREAM_ID, paymentStreamId } from '@app/payments/domain';
import {
  authorization,
  captureWord,
  COMPLETED,
  create,
  DECLINED,
  PAYMENT_ID,
  voidWord,
} from '@app/payments/testing/payments';
import { ProcessingEnvironment } from './testing/processing-environment';
import { ScriptedGateway } from './testing/scripted-gateway';

const EUR = 'EUR' as Currency;
const MINUTE_MS = 60_000;
const OTHER_ID = 'pay_00000000000000000000000002';
const OPENED = ['PaymentCreated', 'PaymentAuthorized', 'PaymentCaptureRequested', 'PaymentCaptured', 'DisputeOpened'];

function dispute(status: GatewayDispute['status'], change: Partial<GatewayDispute> = {}): GatewayDispute {
  return {
    disputeReference: 'dp_1',
    gatewayReference: 'gw_1',
    paymentId: PAYMENT_ID,
    status,
    amount: { amountMinor: 1_000n, currency: EUR },
    feeMinor: 15n,
    reason: 'FRAUDULENT',
    evidenceDueAtMs: null,
    ...change,
  };
}

const environments: ProcessingEnvironment[] = [];
afterEach(async () => {
  for (const environment of environments.splice(0)) await environment.stop();
});

async function setUp(commands = COMPLETED): Promise<ProcessingEnvironment> {
  const env = new ProcessingEnvironment(new ScriptedGateway());
  environments.push(env);
  await env.command(...commands);
  return env;
}

/** What was recorded of how far the list was read. */
async function readings(env: ProcessingEnvironment) {
  const recorded = await env.eventStore.readStream(GATEWAY_DISPUTES_STREAM_ID);
  return recorded.map(({ data }) => JSON.parse(data) as { cursor: string | null; unsettled: readonly object[] });
}

describe('the worker that reads disputes', () => {
  it('records what the gateway lists, and where it is in the list', async () => {
    const env = await setUp();
    env.gateway.disputes.push(dispute('OPEN'));
    env.startDisputeWorker();
    await env.clock.advance(0);
    expect(await env.types()).toEqual(OPENED);
    expect(await readings(env)).toEqual([{ cursor: '1', unsettled: [] }]);
    env.gateway.disputes.push(dispute('WON'));
    await env.clock.advance(MINUTE_MS);
    expect(await env.types()).toEqual([...OPENED, 'DisputeWon']);
    expect(env.gateway.calls).toEqual(['disputeChanges from the first', 'disputeChanges 1']);
  });

  it('goes on at once where there is more, and leaves no trace where there is nothing new', async () => {
    const env = await setUp();
    const references = ['dp_1', 'dp_2', 'dp_3', 'dp_4', 'dp_5'];
    for (const disputeReference of references) env.gateway.disputes.push(dispute('OPEN', { disputeReference }));
    env.startDisputeWorker();
    await env.clock.advance(5 * MINUTE_MS);
    expect((await env.types()).filter((type) => type === 'DisputeOpened')).toHaveLength(5);
    expect((await readings(env)).map(({ cursor }) => cursor)).toEqual(['2', '4', '5']);
  });

  it('gives one history, whatever it is told twice or in another order', async () => {
    const env = await setUp();
    env.gateway.disputes.push(dispute('LOST'), dispute('OPEN'), dispute('LOST'), dispute('OPEN'));
    env.startDisputeWorker();
    await env.clock.advance(MINUTE_MS);
    expect(await env.types()).toEqual([...OPENED, 'DisputeLost']);
  });

  it.each([1, 2, 3])('gives one history if it dies before its append number %i', async (nth) => {
    const env = await setUp();
    env.gateway.disputes.push(dispute('OPEN'), dispute('WON'));
    let appends = 0;
    const { eventStore } = env;
    const append = eventStore.append.bind(eventStore);
    eventStore.append = (...args) => {
      appends += 1;
      return appends === nth ? new Promise<never>(() => undefined) : append(...args);
    };
    // Another process, which hangs in its append for ever.
    new ProcessingEnvironment(env.gateway, eventStore, env.clock).startDisputeWorker();
    await env.clock.advance(0);
    eventStore.append = append;
    env.startDisputeWorker();
    await env.clock.advance(0);
    expect(await env.types()).toEqual([...OPENED, 'DisputeWon']);
    expect((await readings(env)).at(-1)).toEqual({ cursor: '2', unsettled: [] });
  });

  it('gives one history beside another worker and the gateway’s notices', async () => {
    const env = await setUp();
    env.gateway.disputes.push(dispute('OPEN'), dispute('LOST'));
    env.startDisputeWorker();
    env.startDisputeWorker();
    const notice = { type: 'dispute-changed', paymentId: PAYMENT_ID } as const;
    const noticed = [env.noticed().handle(notice), env.noticed().handle(notice)];
    await env.clock.advance(MINUTE_MS);
    await Promise.all(noticed);
    expect(await env.types()).toEqual([...OPENED, 'DisputeLost']);
  });

  it('goes on in the next minute after the gateway was away', async () => {
    const env = await setUp();
    env.gateway.disputes.push(dispute('OPEN'));
    env.gateway.script('disputeChanges', 'unavailable');
    env.startDisputeWorker();
    await env.clock.advance(MINUTE_MS - 1);
    expect(await env.types()).not.toContain('DisputeOpened');
    await env.clock.advance(1);
    expect(await env.types()).toEqual(OPENED);
  });
});

describe('a dispute that its payment cannot take yet', () => {
  it('is asked for again until the capture is recorded, and holds up no other', async () => {
    const env = await setUp([create(), authorization()]);
    await env.commandOn(OTHER_ID, create({ paymentId: OTHER_ID, gatewayReference: 'gw_2' }));
    await env.commandOn(OTHER_ID, authorization(), captureWord());
    env.gateway.disputes.push(dispute('OPEN'));
    env.gateway.disputes.push(dispute('OPEN', { paymentId: OTHER_ID, gatewayReference: 'gw_2' }));
    env.startDisputeWorker();
    await env.clock.advance(0);
    const unsettled = [{ paymentId: PAYMENT_ID, gatewayReference: 'gw_1' }];
    expect(await readings(env)).toEqual([{ cursor: '2', unsettled }]);
    const other = await env.eventStore.readStream(paymentStreamId(OTHER_ID));
    expect(other.at(-1)?.type).toBe('DisputeOpened');
    await env.command(captureWord());
    await env.clock.advance(MINUTE_MS);
    expect(await env.types()).toEqual(OPENED);
    expect((await readings(env)).at(-1)).toEqual({ cursor: '2', unsettled: [] });
  });

  it('is asked for again when its stream is damaged, and the stream is reported', async () => {
    const env = await setUp();
    const streamId = paymentStreamId(PAYMENT_ID);
    await env.eventStore.append(streamId, 3, [
      { id: crypto.randomUUID(), type: 'Foreign', data: '{}', metadata: '{}' },
    ]);
    env.gateway.disputes.push(dispute('OPEN'));
    env.startDisputeWorker();
    await env.clock.advance(2 * MINUTE_MS);
    expect((await readings(env)).at(-1)?.unsettled).toHaveLength(1);
    expect(env.gateway.calls.filter((call) => call === 'disputesOf gw_1')).toHaveLength(2);
    expect(env.findings.damages).toContain(`FOREIGN ${streamId}@4`);
  });
});

describe('a dispute that is left out, with an error in the log', () => {
  it.each<[string, typeof COMPLETED, Partial<GatewayDispute>]>([
    ['is about a payment that nobody knows', COMPLETED, { paymentId: OTHER_ID }],
    ['names what is no payment', COMPLETED, { paymentId: 'order-1' }],
    ['is about another registration', COMPLETED, { gatewayReference: 'gw_9' }],
    ['is in another currency', COMPLETED, { amount: { amountMinor: 1n, currency: 'USD' as Currency } }],
    ['is about a payment that failed', [create(), authorization(), captureWord(DECLINED), voidWord()], {}],
  ])('%s', async (_what, commands, change) => {
    const env = await setUp(commands);
    env.gateway.disputes.push(dispute('OPEN', change));
    env.startDisputeWorker();
    await env.clock.advance(0);
    expect(await env.types()).not.toContain('DisputeOpened');
    expect(await readings(env)).toEqual([{ cursor: '1', unsettled: [] }]);
    const errors = env.logger.records.filter(({ level }) => level === 'error');
    expect(errors.map(({ message }) => message)).toEqual(['a dispute that the gateway reports is left out']);
  });
});

describe('the gateway’s notice that a dispute has changed', () => {
  it('proves nothing: the gateway is asked', async () => {
    const env = await setUp();
    await env.noticed().handle({ type: 'dispute-changed', paymentId: PAYMENT_ID });
    expect([env.gateway.calls, (await env.types()).at(-1)]).toEqual([['disputesOf gw_1'], 'PaymentCaptured']);
    env.gateway.disputes.push(dispute('WON'));
    await env.noticed().handle({ type: 'dispute-changed', paymentId: PAYMENT_ID });
    expect(await env.types()).toEqual([...OPENED, 'DisputeWon']);
  });
});
