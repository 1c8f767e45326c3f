import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PaymentOutcome } from '@app/payments/commands/outcome';
import { SandboxBooks, SandboxGateway } from '@app/gateway';
import { Clock, ContentionError } from '@app/event-sourcing';
import { propertyRuns, SeededRandom } from '@app/platform/testing';
import * as fc from 'fast-check';
import { decimal, newSeed } from '../support/load';
import { paymentRequest } from '../support/merchant-client';
import { CARDS } from '../support/payments';
import { LeapingClock } from '../support/simulation/leaping-clock';
import {
  type Allowed,
  cancelAllowed,
  captureAllowed,
  isChallenged,
  type ModelCard,
  MAX_OFF_MS,
  type ModelPayment,
  problemsOf,
  refundAllowed,
} from '../support/simulation/payment-model';
import { PaymentWorld } from '../support/simulation/payment-world';
import type { Fault } from '../support/simulation/unreliable-gateway';

const ENOUGH_RUNS = 1_000;
const RUNS = propertyRuns(ENOUGH_RUNS);
/** A history that stands still for so long never ends; most take some milliseconds. */
const RUN_TIMEOUT_MS = 20_000;
const START_MS = Date.UTC(2026, 0, 15, 12);
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000] as const;

/** What merchants know: their payments, and how to ask again for whatever was accepted. */
interface Model {
  /** Keeps the keys of one run apart from all others'. */
  readonly name: string;
  readonly payments: ModelPayment[];
  readonly repeats: (() => Promise<void>)[];
  keys: number;
}
type Step = fc.AsyncCommand<Model, PaymentWorld>;

const directory = mkdtempSync(join(tmpdir(), 'counterfoil-model-'));
const file = join(directory, 'gateway.sqlite');
/** One sandbox for all runs, each of which has its own time. */
let clock = new LeapingClock(START_MS);
let sandbox: SandboxGateway;
let books: SandboxBooks;
class CurrentClock extends Clock {
  override nowMs = () => clock.nowMs();
  override monotonicMs = () => clock.monotonicMs();
  override settledMs = () => clock.settledMs();
  override sleep = (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal);
  override deadline = (ms: number) => clock.deadline(ms);
}
beforeAll(() => {
  const now = new CurrentClock();
  sandbox = SandboxGateway.open({ file, publicUrl: 'http://sandbox.test', clock: now, random: new SeededRandom() });
  books = new SandboxBooks(file);
});
afterAll(async () => {
  books.close();
  await sandbox.close();
  rmSync(directory, { recursive: true });
});

function step(name: string, run: (model: Model, world: PaymentWorld) => Promise<void>): Step {
  const settled = async (model: Model, world: PaymentWorld) => {
    await run(model, world);
    await world.rest();
  };
  return { check: () => true, run: settled, toString: () => name };
}

/** A step on one of the payments there are, the newest ones first. */
function stepOn(
  name: string,
  which: number,
  run: (payment: ModelPayment, model: Model, world: PaymentWorld) => Promise<void>,
): Step {
  const of = ({ payments }: Model) => payments.at(-1 - (which % Math.max(1, payments.length)));
  return {
    ...step(`${name} of payment -${which}`, (model, world) => run(of(model)!, model, world)),
    check: (model) => of(model) !== undefined,
    toString: () => `${name} of payment -${which}`,
  };
}

const newKey = (model: Model) => `${model.name}-${(model.keys += 1)}`;
const codeOf = (outcome: PaymentOutcome<unknown>) => (outcome.kind === 'done' ? 'done' : outcome.code);

function expectAllowed(outcome: PaymentOutcome<unknown>, allowed: Allowed): void {
  if (!allowed.includes(codeOf(outcome)))
    throw new Error(`answered ${codeOf(outcome)}, where only ${allowed.join(' or ')} is right`);
}

/** The same request again, at any later time, is answered the same; with other content its key is refused. */
function repeatable<R, T>(
  model: Model,
  send: (request: R) => Promise<PaymentOutcome<T>>,
  request: R,
  other: R,
  first: T,
): void {
  model.repeats.push(async () => {
    expect(await send(request)).toEqual({ kind: 'done', value: first, replayed: true });
    expect(codeOf(await send(other))).toBe('IDEMPOTENCY_KEY_REUSED');
  });
}

const creates = fc
  .record({
    card: fc.constantFrom(...(Object.keys(CARDS) as ModelCard[])),
    amount: fc.integer({ min: 1, max: 1_000 }),
    manual: fc.boolean(),
  })
  .map(({ card, amount, manual }) =>
    step(`create ${decimal(BigInt(amount))} ${manual ? 'manual ' : ''}${card}`, async (model, world) => {
      const key = newKey(model);
      const bodyOf = (minor: number) =>
        paymentRequest({
          card: CARDS[card],
          value: decimal(BigInt(minor)),
          extra: manual ? { captureMethod: 'MANUAL' } : {},
        });
      type Request = Parameters<PaymentWorld['create']>[1];
      const send = (request: Record<string, unknown>) => world.create(key, request as unknown as Request);
      const isReachable = (world.gateway.faults[0] ?? 'none') === 'none';
      const outcome = await send(bodyOf(amount));
      expectAllowed(outcome, [isReachable ? 'done' : 'GATEWAY_UNAVAILABLE']);
      if (outcome.kind === 'refused') return;
      const { paymentId } = outcome.value.payment;
      const known = {
        paymentId,
        card,
        amountMinor: BigInt(amount),
        manual,
        createdAtMs: Date.parse(outcome.value.createdAt),
      };
      model.payments.push({ ...known, customer: null, captureMinor: null, cancelled: false, refunds: new Map() });
      repeatable(model, send, bodyOf(amount), bodyOf(amount + 1), outcome.value);
      tokens.set(paymentId, outcome.value.payment.nextAction?.redirectUrl.split('/').at(-1) ?? '');
    }),
  );

/** How often the histories came to what they are about: a model whose requests are all refused would find nothing. */
const seen = new Map<string, number>();
const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);

/** What opens the customer's page, by payment. */
const tokens = new Map<string, string>();

const customers = fc
  .tuple(fc.nat(2), fc.constantFrom('approve' as const, 'approve' as const, 'decline' as const))
  .map(([which, decision]) =>
    stepOn(`customer: ${decision}`, which, async (payment) => {
      if (!isChallenged(payment.card)) return;
      const before = sandbox.challenges.find('page', tokens.get(payment.paymentId)!)?.state;
      const view = await sandbox.challenges.answer('page', tokens.get(payment.paymentId)!, decision);
      if (before === 'pending' && view?.state !== 'expired') payment.customer = decision;
    }),
  );

const captures = fc
  .record({
    which: fc.nat(2),
    amount: fc.option(fc.integer({ min: 1, max: 1_000 })),
    currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'EUR', 'USD'),
  })
  .map(({ which, amount, currency }) =>
    stepOn(`capture ${amount ?? 'all'} ${currency}`, which, async (payment, model, world) => {
      const key = newKey(model);
      const minor = amount === null ? null : BigInt(amount);
      const request = minor === null ? {} : { amount: { value: decimal(minor), currency } };
      const send = (body: typeof request) => world.capture(key, payment.paymentId, body);
      const before = await world.read(payment.paymentId);
      const allowed = captureAllowed(payment, before, world.clock.latestMs, minor, minor === null ? 'EUR' : currency);
      const outcome = await send(request);
      expectAllowed(outcome, allowed);
      if (outcome.kind === 'refused') return;
      payment.captureMinor = minor ?? payment.amountMinor;
      const answer = await world.read(payment.paymentId, outcome.value.revision);
      expect([answer.status, answer.transactions.at(-1)]).toMatchObject([
        'AUTHORIZED',
        { type: 'CAPTURE', status: 'PENDING' },
      ]);
      repeatable(model, send, request, { amount: { value: '0.00', currency } }, outcome.value);
    }),
  );

const cancellations = fc.nat(2).map((which) =>
  stepOn('cancel', which, async (payment, model, world) => {
    const key = newKey(model);
    const send = (request: { reason?: string }) => world.cancel(key, payment.paymentId, request);
    const before = await world.read(payment.paymentId);
    const allowed = cancelAllowed(payment, before, world.clock.latestMs);
    const outcome = await send({});
    expectAllowed(outcome, allowed);
    if (outcome.kind === 'refused') return;
    payment.cancelled = true;
    // All stays as it was, but that the customer has nothing to do any more.
    const { nextAction: _over, ...rest } = before;
    expect(await world.read(payment.paymentId, outcome.value.revision)).toEqual(rest);
    repeatable(model, send, {}, { reason: 'another' }, outcome.value);
  }),
);

const refunds = fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 600 })).map(([which, amount]) =>
  stepOn(`refund ${amount}`, which, async (payment, model, world) => {
    const key = newKey(model);
    type Request = Parameters<PaymentWorld['refund']>[2];
    const send = (request: Request) => world.refund(key, payment.paymentId, request);
    const bodyOf = (minor: number): Request => ({ amount: { value: decimal(BigInt(minor)), currency: 'EUR' } });
    const before = await world.read(payment.paymentId);
    const failed = (await world.refundsOf(payment.paymentId)).filter(({ status }) => status === 'FAILED');
    const allowed = refundAllowed(payment, before, BigInt(amount), new Set(failed.map(({ refundId }) => refundId)));
    const outcome = await send(bodyOf(amount));
    expectAllowed(outcome, allowed);
    if (outcome.kind === 'refused') return;
    payment.refunds.set(outcome.value.request.refundId, BigInt(amount));
    repeatable(model, send, bodyOf(amount), bodyOf(amount + 1), outcome.value);
  }),
);

const repeats = fc.nat(20).map((which): Step => ({
  ...step(`repeat request ${which}`, async ({ repeats: all }) => all[which % all.length]!()),
  check: ({ repeats: all }) => all.length > 0,
  toString: () => `repeat request ${which}`,
}));

const leaps = fc
  .oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 3 * SECOND }) },
    { weight: 4, arbitrary: fc.integer({ min: 3 * SECOND, max: 30 * SECOND }) },
    { weight: 2, arbitrary: fc.integer({ min: MINUTE, max: 31 * MINUTE }) },
    { weight: 1, arbitrary: fc.integer({ min: DAY, max: 8 * DAY }) },
  )
  .map((ms) => step(`wait ${ms} ms`, (_model, world) => world.leap(ms)));

const OFF_MS = [0, 0, 0, -15 * SECOND, -HOUR, 5 * SECOND, HOUR, -MAX_OFF_MS, MAX_OFF_MS];
const clockSteps = fc
  .constantFrom(...OFF_MS)
  .map((ms) => step(`the clock is off by ${ms} ms`, (_model, world) => world.setOff(ms)));

const allFaults: readonly Fault[] = ['none', 'none', 'unavailable', 'request-lost', 'answer-lost', 'hangs', 'late'];
const faults = fc
  .array(fc.constantFrom(...allFaults), { minLength: 1, maxLength: 5 })
  .map((next) => step(`faults ${next.join(', ')}`, async (_model, world) => void world.gateway.faults.push(...next)));

const deliveries = fc
  .integer({ min: 1, max: 3 })
  .map((count) => step(`deliver ${count}`, async (_model, world) => world.gateway.deliver(count)));

const processes = fc.constantFrom(
  step('kill all workers', async (_model, world) => world.kill()),
  step('restart the worker', async (_model, world) => {
    world.kill();
    world.startWorker();
  }),
  step('start a worker', async (_model, world) => world.startWorker()),
  step('lose the read model', (_model, world) => world.loseReadModel()),
);

const ENDS = [
  ...['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'],
  ...['AUTHORIZATION SUCCESS', 'AUTHORIZATION FAILED', 'CAPTURE SUCCESS', 'CAPTURE FAILED', 'VOID SUCCESS'],
  ...['REFUND SUCCESS', 'REFUND FAILED'],
];

/** What stands here more than once comes more often. */
const merchantsAct = [creates, captures, captures, cancellations, refunds, refunds, refunds, repeats];
const theWorldActs = [
  customers,
  customers,
  leaps,
  leaps,
  leaps,
  clockSteps,
  clockSteps,
  faults,
  faults,
  deliveries,
  processes,
];
const steps = fc.commands([...merchantsAct, ...theWorldActs], { maxCommands: 40, size: 'max' });

/** A leap of time may end a command's patience with a stream; its item is taken up again when the lease ends. */
function loggedErrors({ logger }: PaymentWorld): readonly string[] {
  const errors = logger.records.filter(({ level, cause }) => level === 'error' && !(cause instanceof ContentionError));
  return errors.map(({ message, cause }) => `logged: ${message} (${String(cause)})`);
}

/** Plays one history, lets time run until nothing is left to be done, and audits the gateway's own books. */
async function play(name: string, seed: number, first: Step, commands: Iterable<Step>): Promise<void> {
  clock = new LeapingClock(START_MS);
  const world = new PaymentWorld(sandbox, clock, seed);
  const model: Model = { name, payments: [], repeats: [], keys: 0 };
  await world.start();
  try {
    await first.run(model, world);
    await fc.asyncModelRun(() => ({ model, real: world }), commands);
    world.startWorker();
    await world.untilDone();
    // What arrives after the end must find everything closed.
    world.gateway.deliver(Infinity);
    await world.untilDone();
    const problems: string[] = [];
    for (const payment of model.payments) {
      const { paymentId } = payment;
      const body = await world.read(paymentId);
      count(body.status);
      for (const { type, status } of body.transactions) count(`${type} ${status}`);
      problems.push(...problemsOf(payment, body, await world.refundsOf(paymentId), books.countsFor(paymentId)));
    }
    for (const repeat of model.repeats) await repeat();
    problems.push(...loggedErrors(world));
    expect(problems).toEqual([]);
  } finally {
    world.end();
  }
}

it(`keeps its promises, and the gateway's books balanced, in ${RUNS} random histories`, async () => {
  const seed = newSeed();
  let runs = 0;
  const history = fc.asyncProperty(fc.integer(), creates, steps, (worldSeed, first, commands) =>
    play(`run-${(runs += 1)}`, worldSeed, first, commands),
  );
  try {
    await fc.assert(history, { seed, numRuns: RUNS, timeout: RUN_TIMEOUT_MS });
  } catch (error) {
    throw new Error(`A history broke a promise; SEED=${seed} plays it again`, { cause: error });
  }
  // In few histories what is rare may not happen at all.
  const rare = RUNS < ENOUGH_RUNS ? [] : ENDS.filter((end) => (seen.get(end) ?? 0) < RUNS / 50);
  expect(rare).toEqual([]);
}, 300_000);
