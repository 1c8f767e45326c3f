import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { CommandHandling, type EventToAppend, type ExpectedRevision } from '@app/event-sourcing';
import { paymentStreamId } from '@app/payments/domain';
import {
  GatewayOutcomeUnknownError,
  GatewayUnavailableError,
  PaymentGateway,
  type RegisterRequest,
  type Registration,
} from '@app/gateway/port';
import { ManualClock, RecordingLogger, SeededRandom, settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { KeyRing, RequestFingerprints, SecretCipher } from '@app/keys';
import type { PaymentOutcome } from './outcome';
import { CARD, paymentRequest } from '@app/payments/testing/payment-requests';
import { CreatePaymentCommand, type CreatedPayment } from './commands';
import { CreatePaymentHandler } from './create-payment.handler';
import { paymentIdOf, transactionIdsOf } from './ids';
import type { CreatePaymentRequest } from './requests';

const START_MS = Date.UTC(2026, 0, 15, 12);
const registration: Registration = { gatewayReference: 'gw_1', riskScore: 12, riskLevel: 'LOW', nextAction: null };
const PAYMENT_ID = paymentIdOf('m1', 'key-1');

/** Registers everything unless scripted otherwise; a create makes no other call. */
class RegisteringGateway extends PaymentGateway {
  readonly requests: RegisterRequest[] = [];
  answer: (signal: AbortSignal) => Promise<Registration> = async () => registration;

  override register(request: RegisterRequest, signal: AbortSignal): Promise<Registration> {
    this.requests.push(request);
    return this.answer(signal);
  }

  override challengeState = unexpected;
  override authorize = unexpected;
  override capture = unexpected;
  override void = unexpected;
  override refund = unexpected;
  override inquire = unexpected;
  override disputesOf = unexpected;
  override disputeChanges = unexpected;
}

function unexpected(): Promise<never> {
  throw new Error('not a part of creating a payment');
}

async function setUp(eventStore = new MemoryEventStore()) {
  const clock = new ManualClock(START_MS);
  const logger = new RecordingLogger();
  const gateway = new RegisteringGateway();
  const urls = { refusalOf: (url: string) => (url.startsWith('https://') ? null : 'Use https.') };
  /** Another process of the service; all share the log and the gateway. */
  const startProcess = async (seed: number) => {
    const random = new SeededRandom(seed);
    const handling = new CommandHandling({ eventStore, clock, random, proofs: new SpecProofs() });
    const cipher = new SecretCipher(new Uint8Array(32), null, random);
    const keyRing = new KeyRing({ eventStore, cipher, clock, random });
    await keyRing.load();
    const fingerprints = new RequestFingerprints(keyRing);
    const handler = new CreatePaymentHandler(handling, gateway, fingerprints, urls, clock, logger);
    return (request: CreatePaymentRequest = paymentRequest(), key = 'key-1', merchantId = 'm1') => {
      const caller = { merchantId, merchantName: 'Shop', correlationId: 'request-1' };
      return handler.execute(new CreatePaymentCommand(caller, key, request));
    };
  };
  const create = await startProcess(1);
  const stored = (paymentId = PAYMENT_ID) => eventStore.readStream(paymentStreamId(paymentId));
  return { clock, logger, gateway, create, startProcess, stored, eventStore };
}

const valueOf = (outcome: PaymentOutcome<CreatedPayment>) => (outcome.kind === 'done' ? outcome.value : outcome.code);

describe('creating a payment', () => {
  it('registers the card, and records the payment under ids that are derived', async () => {
    const { create, gateway, stored } = await setUp();
    const outcome = await create();
    expect(outcome).toMatchObject({ kind: 'done', replayed: false, value: { createdAt: '2026-01-15T12:00:00.000Z' } });
    expect(valueOf(outcome)).toMatchObject({
      payment: {
        paymentId: PAYMENT_ID,
        merchantId: 'm1',
        orderId: 'order-1',
        payerId: 'payer-1',
        maskedCardNumber: '411111******1111',
        amountMinor: '1000',
        currency: 'EUR',
        captureMethod: 'AUTOMATIC',
        merchantMetadata: [['shelf', '7']],
        notifyUrl: 'https://shop.test/hook',
        expiresAt: '2026-01-15T12:30:00.000Z',
        transactionIds: transactionIdsOf(PAYMENT_ID),
        ...registration,
      },
    });
    expect(gateway.requests).toMatchObject([
      {
        paymentId: PAYMENT_ID,
        merchantName: 'Shop',
        orderId: 'order-1',
        description: 'two books',
        card: CARD,
        amount: { amountMinor: 1_000n, currency: 'EUR' },
      },
    ]);
    const [event, ...more] = await stored();
    expect(more).toEqual([]);
    expect(JSON.parse(event!.metadata)).toMatchObject({
      actor: 'merchant:m1',
      correlationId: 'request-1',
      causationId: null,
    });
  });

  it('leaves the customer half an hour to the millisecond, however long the gateway takes to register', async () => {
    const { create, clock, gateway, stored } = await setUp();
    gateway.answer = async () => {
      await clock.advance(3_000);
      return registration;
    };
    expect(valueOf(await create())).toMatchObject({
      createdAt: '2026-01-15T12:00:00.000Z',
      payment: { expiresAt: '2026-01-15T12:30:00.000Z' },
    });
    const [event] = await stored();
    expect(JSON.parse(event!.metadata)).not.toHaveProperty('atMs');
  });

  it('writes nothing of the card but its mask, and nothing of the person', async () => {
    const { create, eventStore } = await setUp();
    await create();
    const { events } = await eventStore.readAll({ after: null, filter: { streamPrefixes: [''] }, maxCount: 100 });
    const text = JSON.stringify(events.map(({ data, metadata }) => [data, metadata]));
    for (const hidden of [CARD.number, '"737"', CARD.holderName, '198.51.100.7', 'Kiel', 'key-1']) {
      expect(text).not.toContain(hidden);
    }
  });

  it('leaves nothing behind when it is not valid, nor asks the gateway', async () => {
    const { create, gateway, stored } = await setUp();
    expect(await create(paymentRequest({}, { expiryYear: '2020' }))).toMatchObject({
      kind: 'refused',
      code: 'VALIDATION_FAILED',
      problems: [{ code: 'CARD_EXPIRED' }],
    });
    expect([gateway.requests, await stored()]).toEqual([[], []]);
    expect(await create()).toMatchObject({ kind: 'done', replayed: false });
  });

  const cause = new Error('disk full');
  it.each([
    ['away', async () => Promise.reject(new GatewayUnavailableError('down', { cause }))],
    ['silent', async () => Promise.reject(new GatewayOutcomeUnknownError('reset', { cause }))],
  ])('leaves nothing behind while the gateway is %s; the same key works later', async (_state, answer) => {
    const { create, gateway, stored, logger } = await setUp();
    gateway.answer = answer;
    expect(await create()).toEqual({ kind: 'refused', code: 'GATEWAY_UNAVAILABLE' });
    const reason: unknown = expect.stringMatching(/^(down|reset); caused by: disk full$/);
    expect(logger.records).toMatchObject([
      { level: 'warn', fields: { requestId: 'request-1', paymentId: PAYMENT_ID, reason } },
    ]);
    expect(await stored()).toEqual([]);
    gateway.answer = async () => registration;
    expect(await create()).toMatchObject({ kind: 'done', replayed: false });
  });

  it('waits five seconds for the gateway', async () => {
    const { create, gateway, clock } = await setUp();
    gateway.answer = (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new GatewayOutcomeUnknownError('too late')));
      });
    const pending = create();
    let answered = false;
    void pending.then(() => (answered = true));
    await clock.advance(4_999);
    expect(answered).toBe(false);
    await clock.advance(1);
    expect(await pending).toMatchObject({ code: 'GATEWAY_UNAVAILABLE' });
  });

  it('throws on what it does not expect of the gateway', async () => {
    const { create, gateway } = await setUp();
    gateway.answer = () => Promise.reject(new Error('a bug'));
    await expect(create()).rejects.toThrow('a bug');
  });
});

describe('a repeated create', () => {
  it('is answered with the first result, without another registration', async () => {
    const { create, gateway, clock } = await setUp();
    const first = await create();
    await clock.advance(60_000);
    const again = await create();
    expect(again).toEqual({ ...first, replayed: true });
    expect(gateway.requests).toHaveLength(1);
  });

  it('is answered before anything is judged: the card may have expired since', async () => {
    const { create, clock } = await setUp();
    const first = await create();
    await clock.advance(10 * 365 * 24 * 60 * 60_000);
    expect(await create()).toEqual({ ...first, replayed: true });
  });

  it('is the same whatever its cvv, and the order of its fields', async () => {
    const { create } = await setUp();
    await create();
    for (const cvv of ['000', '0000']) {
      expect(await create(paymentRequest({}, { cvv }))).toMatchObject({ kind: 'done', replayed: true });
    }
    const shuffled = Object.fromEntries(Object.entries(paymentRequest()).reverse()) as unknown as CreatePaymentRequest;
    expect(await create(shuffled)).toMatchObject({ kind: 'done', replayed: true });
  });

  it('with another content is refused, even one that is not valid', async () => {
    const { create } = await setUp();
    await create();
    const others = [
      paymentRequest({ amount: { value: '10.0', currency: 'EUR' } }),
      paymentRequest({}, { number: '4242424242424242' }),
      paymentRequest({}, { expiryYear: '2020' }),
    ];
    for (const other of others)
      expect(await create(other)).toEqual({ kind: 'refused', code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('is another one for another merchant, or with another key', async () => {
    const { create } = await setUp();
    const ids = [
      await create(),
      await create(paymentRequest(), 'key-2'),
      await create(paymentRequest(), 'key-1', 'm2'),
    ].map((outcome) => outcome.kind === 'done' && !outcome.replayed && outcome.value.payment.paymentId);
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain(false);
  });

  it('finds out what became of one whose answer was lost on the way from the log', async () => {
    class ForgetfulEventStore extends MemoryEventStore {
      forgets = false;
      override async append(streamId: string, expected: ExpectedRevision, events: readonly EventToAppend[]) {
        const result = await super.append(streamId, expected, events);
        if (this.forgets) throw new Error('the connection broke');
        return result;
      }
    }
    const eventStore = new ForgetfulEventStore();
    const { create, stored } = await setUp(eventStore);
    eventStore.forgets = true;
    await expect(create()).rejects.toThrow('the connection broke');
    eventStore.forgets = false;
    expect(await create()).toMatchObject({ kind: 'done', replayed: true });
    expect(await stored()).toHaveLength(1);
  });
});

describe('creates in parallel', () => {
  it('with one key make one payment and get one answer, in one process and in several', async () => {
    const { create, startProcess, stored, clock } = await setUp();
    const processes = [create, await startProcess(2), await startProcess(3)];
    const pending = Promise.all(Array.from({ length: 24 }, (_, index) => processes[index % 3]!()));
    await settle();
    await clock.advance(1_000);
    const outcomes = await pending;
    expect(new Set(outcomes.map((outcome) => JSON.stringify(valueOf(outcome)))).size).toBe(1);
    expect(outcomes.filter((outcome) => outcome.kind === 'done' && !outcome.replayed)).toHaveLength(1);
    expect(await stored()).toHaveLength(1);
  });

  it('with one key and two contents let one of them win', async () => {
    const { create, startProcess, stored, clock } = await setUp();
    const other = await startProcess(2);
    const pending = Promise.all([create(), other(paymentRequest({ amount: { value: '9.00', currency: 'EUR' } }))]);
    await settle();
    await clock.advance(1_000);
    const outcomes = await pending;
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['done', 'refused']);
    expect(outcomes.find(({ kind }) => kind === 'refused')).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(await stored()).toHaveLength(1);
  });
});
