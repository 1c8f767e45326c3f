import type { Currency } from '@app/money';
import type { PaymentCommand } from '@app/payments/domain';
import {
  authorization,
  create,
  createChallenged,
  createManual,
  expireHold,
  HOLD_EXPIRES_AT,
  MANUAL_AUTHORIZED,
  cancelPayment,
  capturePayment,
} from '@app/payments/testing/payments';
import { ManualClock } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { type HeldCall, HeldGateway } from './testing/held-gateway';
import { ProcessingEnvironment } from './testing/processing-environment';
import { declined, type Script } from './testing/scripted-gateway';

const MINUTE = 60_000;
/** The gateway's authorization request, for histories that begin with a hold. */
const AUTHORIZATION = {
  reference: 'txn_a',
  gatewayReference: 'gw_1',
  amount: { amountMinor: 1_000n, currency: 'EUR' as Currency },
};
/** Longer than a gateway call may take. */
const TOO_LONG_MS = 6_000;
const environments: ProcessingEnvironment<HeldGateway>[] = [];

function setUp(clock?: ManualClock) {
  const gateway = new HeldGateway();
  const environment = new ProcessingEnvironment(gateway, new MemoryEventStore(), clock);
  environments.push(environment);
  return environment;
}

afterEach(async () => {
  for (const environment of environments.splice(0)) await environment.stop();
});

type Environment = ReturnType<typeof setUp>;

/** What can happen between a call and its consequence. */
type Happening = 'cancel' | 'capture' | 'arrive' | 'answer' | 'lose' | 'timeout';

/** Every order in which the request arrives before its answer is sent. */
function orders(happenings: readonly Happening[]): readonly (readonly Happening[])[] {
  if (happenings.length === 0) return [[]];
  const all = happenings.flatMap((first, index) =>
    orders(happenings.filter((_, other) => other !== index)).map((rest) => [first, ...rest]),
  );
  const answers = (order: readonly Happening[]) => order.findIndex((one) => one === 'answer' || one === 'lose');
  return all.filter(
    (order) => answers(order) < 0 || !order.includes('arrive') || order.indexOf('arrive') < answers(order),
  );
}

async function happen(env: Environment, call: HeldCall, happening: Happening): Promise<void> {
  switch (happening) {
    case 'cancel':
      await env.command(cancelPayment());
      break;
    case 'capture':
      await env.command(capturePayment(600n));
      break;
    case 'timeout':
      await env.clock.advance(TOO_LONG_MS);
      break;
    case 'arrive':
    case 'answer':
    case 'lose':
      call[happening]();
      break;
  }
  await env.clock.advance(0);
}

/** Plays the order, then lets everything settle. In every order, money is neither held nor moved twice. */
async function playOut(env: Environment, call: HeldCall, order: readonly Happening[]) {
  for (const happening of order) await happen(env, call, happening);
  await env.clock.advance(2 * MINUTE);
  const { gateway } = env;
  const calls = gateway.calls.length;
  await env.clock.advance(2 * MINUTE);
  expect(gateway.calls).toHaveLength(calls);

  const granted = gateway.count('authorize');
  expect(granted).toBeLessThanOrEqual(1);
  expect(gateway.count('capture') + (granted === 1 ? gateway.count('void') : 0)).toBe(granted);
  const types = (await env.types()).filter((type) => type !== 'GatewayStepDeferred');
  expect(types).toHaveLength(new Set(types).size);
  const recorded = ['PaymentAuthorized', 'PaymentCaptured', 'PaymentVoided'].map((type) =>
    Number(types.includes(type)),
  );
  expect(recorded).toEqual([granted, gateway.count('capture'), granted * gateway.count('void')]);
  expect(env.logger.records.filter(({ level }) => level === 'error')).toEqual([]);
  return { status: (await env.payment()).status, types };
}

const named = (all: readonly (readonly Happening[])[]) => all.map((order) => [order.join(', '), order] as const);

const onTheirWay = named([
  ...orders(['cancel', 'arrive', 'answer', 'timeout']),
  ...orders(['cancel', 'arrive', 'lose', 'timeout']),
  ...orders(['cancel', 'arrive', 'timeout']),
  ...orders(['cancel', 'timeout']),
  ...orders(['cancel', 'lose']),
]);

describe.each([
  ['captured at once', create()],
  ['captured by its merchant', createManual()],
] as const)('a cancellation while the authorization of a payment that is %s is on its way', (_which, creation) => {
  it.each(onTheirWay)('granted: %s', async (_name, order) => {
    const env = setUp();
    const call = env.gateway.hold('authorize');
    env.startWorker();
    await env.command(creation);
    await env.clock.advance(0);
    const { status, types } = await playOut(env, call, order);
    if (types.includes('PaymentCancellationRequested')) expect(status).toBe('CANCELLED');
    // The cancellation came too late: the capture was already requested.
    else expect([status, env.gateway.count('capture')]).toEqual(['COMPLETED', 1]);
  });

  it.each(onTheirWay)('declined: %s', async (_name, order) => {
    const env = setUp();
    const call = env.gateway.hold('authorize');
    env.gateway.script('authorize', { answers: declined });
    env.startWorker();
    await env.command(creation);
    await env.clock.advance(0);
    const { status, types } = await playOut(env, call, order);
    expect(status).toBe(types.includes('PaymentCancellationRequested') ? 'CANCELLED' : 'FAILED');
    expect(env.gateway.count('authorize')).toBe(0);
  });
});

it('finds an authorization that arrives only after the void declined for good', async () => {
  const env = setUp();
  const call = env.gateway.hold('authorize');
  env.startWorker();
  await env.command(create());
  await env.clock.advance(0);
  const { status } = await playOut(env, call, ['cancel', 'timeout', 'arrive', 'answer']);
  expect(status).toBe('CANCELLED');
  expect(env.gateway.books.get('txn_a')!.outcome.kind).toBe('declined');
});

describe('a capture and a cancellation', () => {
  it.each(named(orders(['capture', 'cancel', 'arrive', 'answer', 'timeout'])))(
    'in the order %s',
    async (_name, order) => {
      const env = setUp();
      await env.command(...MANUAL_AUTHORIZED);
      await env.gateway.authorize(AUTHORIZATION);
      const call = env.gateway.hold('capture');
      env.startWorker();
      await env.clock.advance(0);
      const { status, types } = await playOut(env, call, order);
      const captureFirst = order.indexOf('capture') < order.indexOf('cancel');
      expect(status).toBe(captureFirst ? 'COMPLETED' : 'CANCELLED');
      expect(types.includes('PaymentCaptureRequested')).toBe(captureFirst);
      if (captureFirst) expect(env.gateway.books.get('txn_c')!.request.amount.amountMinor).toBe(600n);
    },
  );

  it.each(named(orders(['cancel', 'arrive', 'answer', 'timeout'])))('that is refused: %s', async (_name, order) => {
    const env = setUp();
    const call = env.gateway.hold('capture');
    const refusal = { code: '57', message: 'Not permitted' };
    env.gateway.script('capture', {
      answers: { kind: 'declined', code: 'CAPTURE_REFUSED', processorResponse: refusal },
    });
    env.startWorker();
    await env.command(create());
    await env.clock.advance(0);
    const { status } = await playOut(env, call, order);
    expect(status).toBe('FAILED');
    expect(await env.payment()).toMatchObject({ failure: { code: 'CAPTURE_REFUSED' } });
    expect(env.gateway.count('void')).toBe(1);
  });
});

describe('the void', () => {
  it.each([
    ['when the gateway is away', ['unavailable', 'unavailable']],
    ['when it never arrives', ['request-lost', 'request-lost']],
    ['when its answer is lost', ['answer-lost']],
    ['when the gateway hangs', ['hangs']],
  ] as const satisfies readonly (readonly [string, readonly Script[]])[])('is made once %s', async (_name, scripts) => {
    for (const cause of ['cancelled', 'refused'] as const) {
      const env = setUp();
      const call = env.gateway.hold('authorize');
      call.arrive();
      env.gateway.script('void', ...scripts);
      if (cause === 'refused') {
        call.answer();
        const processorResponse = { code: '57', message: 'Not permitted' };
        env.gateway.script('capture', { answers: { kind: 'declined', code: 'CAPTURE_REFUSED', processorResponse } });
      }
      env.startWorker();
      await env.command(create());
      const { status } = await playOut(env, call, cause === 'cancelled' ? ['cancel', 'timeout'] : []);
      expect([status, env.gateway.count('void')]).toEqual([cause === 'cancelled' ? 'CANCELLED' : 'FAILED', 1]);
    }
  });

  it('is recorded only when the gateway has decided about the authorization', async () => {
    const env = setUp();
    env.gateway.script('authorize', { answers: { kind: 'pending' } });
    env.startWorker();
    await env.command(create());
    await env.clock.advance(1_000);
    await env.command(cancelPayment());
    await env.clock.advance(MINUTE);
    expect(await env.payment()).toMatchObject({ status: 'PROCESSING', retry: { operation: 'VOID' } });
    env.gateway.books.get('txn_a')!.outcome = {
      kind: 'approved',
      processorResponse: { code: '00', message: 'Approved' },
    };
    await env.clock.advance(5 * MINUTE);
    expect(await env.payment()).toMatchObject({ status: 'CANCELLED' });
    expect((await env.types()).slice(-3)).toEqual(['PaymentAuthorized', 'PaymentVoided', 'PaymentCancelled']);
  });
});

describe('the end of the customer’s time', () => {
  async function waitingAtTheEnd() {
    const env = setUp();
    await env.command(createChallenged());
    await env.clock.advance(30 * MINUTE);
    return env;
  }

  it('does not end a payment that another worker has found approved, its authorization on its way', async () => {
    const env = await waitingAtTheEnd();
    const look = env.gateway.hold('challengeState');
    const granting = env.gateway.hold('authorize');
    env.startWorker();
    // The request is answered with the state at that time; the answer arrives late.
    look.arrive();
    await env.clock.advance(0);
    env.gateway.challenge = 'succeeded';
    await env.customerFinished();
    await env.clock.advance(0);
    const { status, types } = await playOut(env, look, ['answer', 'timeout']);
    granting.arrive();
    granting.answer();
    await env.clock.advance(MINUTE);
    expect([status, types.includes('PaymentExpiryRequested')]).toEqual(['COMPLETED', false]);
  });

  it('ends a payment though the customer approves a moment later: nothing is granted any more', async () => {
    const env = await waitingAtTheEnd();
    const closing = env.gateway.hold('void');
    env.startWorker();
    await env.clock.advance(0);
    env.gateway.challenge = 'succeeded';
    await env.customerFinished();
    const { status, types } = await playOut(env, closing, ['timeout', 'arrive', 'answer']);
    expect([status, types.includes('PaymentAuthenticated'), env.gateway.count('authorize')]).toEqual([
      'EXPIRED',
      false,
      0,
    ]);
  });

  it.each([
    ['is cancelled first', ['cancel', 'arrive', 'answer'], 'CANCELLED'],
    ['is cancelled last', ['arrive', 'answer', 'cancel'], 'EXPIRED'],
  ] as const)('and a cancellation: of a payment that %s', async (_name, order, end) => {
    const env = await waitingAtTheEnd();
    const look = env.gateway.hold('challengeState');
    env.startWorker();
    await env.clock.advance(0);
    expect((await playOut(env, look, order)).status).toBe(end);
  });
});

describe('the end of a hold', () => {
  async function heldUntilNow(...later: readonly PaymentCommand[]) {
    const clock = new ManualClock(Date.parse(HOLD_EXPIRES_AT) - 1);
    const env = setUp(clock);
    await env.gateway.authorize(AUTHORIZATION);
    await env.command(createManual(), authorization(), ...later);
    return { env, call: env.gateway.hold('capture') };
  }

  it.each([
    ['capture asked for a moment before it', [capturePayment(null)], 'COMPLETED'],
    ['capture asked for between the look and its record', [capturePayment(null), expireHold()], 'COMPLETED'],
    ['capture asked for a moment after it', [expireHold(), capturePayment(null)], 'EXPIRED'],
    ['cancellation a moment before it', [cancelPayment(), expireHold()], 'CANCELLED'],
    ['cancellation a moment after it', [expireHold(), cancelPayment()], 'EXPIRED'],
  ] as const)('and a %s', async (_name, commands, end) => {
    const { env, call } = await heldUntilNow(...commands);
    env.startWorker();
    await env.clock.advance(1_000);
    expect((await playOut(env, call, ['timeout', 'arrive', 'answer'])).status).toBe(end);
  });

  it('comes for a hold that nobody captured, though the void hangs', async () => {
    const { env, call } = await heldUntilNow();
    env.gateway.script('void', 'hangs', 'unavailable');
    env.startWorker();
    await env.clock.advance(1_000);
    await env.command(capturePayment(null), cancelPayment('late'));
    expect((await playOut(env, call, ['timeout'])).status).toBe('EXPIRED');
  });
});
