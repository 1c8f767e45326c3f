import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { CommandHandling, type EventToAppend, type ExpectedRevision } from '@app/event-sourcing';
import { authorization, COMPLETED, create } from '@app/payments/testing/payments';
import { SeededRandom } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { askRefund, ProcessingEnvironment } from './testing/processing-environment';
import { ScriptedGateway } from './testing/scripted-gateway';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const environments: ProcessingEnvironment[] = [];

function setUp() {
  const environment = new ProcessingEnvironment(new ScriptedGateway());
  environments.push(environment);
  return environment;
}

afterEach(async () => {
  for (const environment of environments.splice(0)) await environment.stop();
});

describe('an answer that never came', () => {
  it('is asked for before anything else is done, within two seconds', async () => {
    const env = setUp();
    env.gateway.script('authorize', 'answer-lost');
    env.startWorker();
    await env.command(create());
    await env.clock.advance(2_000);
    expect(env.gateway.calls).toEqual(['authorize txn_a', 'inquire txn_a', 'capture txn_c']);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
    expect(env.gateway.count('authorize')).toBe(1);
  });

  it('is one that took more than five seconds, even of a gateway that ignores its signal', async () => {
    const env = setUp();
    env.gateway.script('capture', 'hangs');
    env.startWorker();
    await env.command(create());
    await env.clock.advance(4_999);
    expect(await env.types()).not.toContain('GatewayStepDeferred');
    await env.clock.advance(2_001);
    expect(env.gateway.calls).toEqual(['authorize txn_a', 'capture txn_c', 'inquire txn_c']);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
  });

  it('is told in one line, and a bug with its call sites', async () => {
    const env = setUp();
    env.gateway.script('authorize', 'unavailable', 'answer-lost');
    env.gateway.script('capture', 'hangs');
    env.startWorker();
    await env.command(create());
    await env.clock.advance(MINUTE);
    const told = () => env.logger.records.filter(({ message }) => message === 'gateway call without an answer');
    expect(told().map(({ level, fields, cause }) => [level, fields['retry'], cause])).toEqual([
      ['warn', 'GATEWAY_UNAVAILABLE', undefined],
      ['warn', 'OUTCOME_UNKNOWN', undefined],
      ['warn', 'OUTCOME_UNKNOWN', undefined],
    ]);
    expect(told().map(({ fields }) => fields['retry'])).not.toContain('');
    const bug = new TypeError('x is not a function');
    env.gateway.refund = () => Promise.reject(bug);
    await env.command(askRefund(300n));
    await env.clock.advance(10);
    expect(told().at(-1)).toMatchObject({ level: 'warn', cause: bug });
  });

  it('to a call that never arrived leads to the same call again, with the same reference', async () => {
    const env = setUp();
    env.gateway.script('authorize', 'request-lost');
    env.startWorker();
    await env.command(create());
    await env.clock.advance(2_000);
    expect(env.gateway.calls.slice(0, 3)).toEqual(['authorize txn_a', 'inquire txn_a', 'authorize txn_a']);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
  });

  it('stays unknown while the gateway can not be asked: nothing else is done before', async () => {
    const env = setUp();
    env.gateway.script('authorize', 'answer-lost');
    env.gateway.script('inquire', 'unavailable', 'unavailable');
    env.startWorker();
    await env.command(create());
    await env.clock.advance(MINUTE);
    expect(env.gateway.calls).toEqual([
      'authorize txn_a',
      'inquire txn_a',
      'inquire txn_a',
      'inquire txn_a',
      'capture txn_c',
    ]);
  });

  it('is asked for soon, even where the gateway had been away for long before', async () => {
    const env = setUp();
    env.gateway.script('authorize', ...Array<'unavailable'>(6).fill('unavailable'), 'answer-lost');
    env.startWorker();
    await env.command(create());
    await env.clock.advance(HOUR);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
    expect((await env.delaysMs()).at(-1)).toBeLessThan(2_000);
  });
});

describe('a gateway that is away', () => {
  it('is asked again after growing pauses, under the same reference, until it is back', async () => {
    const env = setUp();
    env.gateway.script('authorize', ...Array<'unavailable'>(7).fill('unavailable'));
    env.startWorker();
    await env.command(create());
    await env.clock.advance(HOUR);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
    expect(env.gateway.calls).toEqual([...Array<string>(8).fill('authorize txn_a'), 'capture txn_c']);
    const delays = await env.delaysMs();
    for (const [index, nominal] of [1_000, 2_000, 5_000, 15_000, 60_000, 300_000, 300_000].entries()) {
      expect(delays[index]).toBeGreaterThanOrEqual(nominal * 0.8);
      expect(delays[index]).toBeLessThanOrEqual(nominal * 1.2);
    }
  });

  it('does not make a payment expire that waits for nothing but the gateway', async () => {
    const env = setUp();
    env.gateway.script('authorize', ...Array<'unavailable'>(20).fill('unavailable'));
    env.startWorker();
    await env.command(create());
    await env.clock.advance(45 * MINUTE);
    expect(await env.payment()).toMatchObject({ phase: 'AUTHORIZING' });
  });
});

/** A process that dies before its append reaches the log. */
class DyingEventStore extends MemoryEventStore {
  dead = true;

  override append(streamId: string, expected: ExpectedRevision, events: readonly EventToAppend[]) {
    return this.dead ? Promise.reject(new Error('killed')) : super.append(streamId, expected, events);
  }
}

describe('a crash between the act and its record', () => {
  it.each(['authorize', 'capture', 'refund'] as const)(
    'of %s ends with one act: the next worker finds it done',
    async (act) => {
      const env = setUp();
      const before = {
        authorize: [create()],
        capture: [create(), authorization()],
        refund: [...COMPLETED, askRefund(300n)],
      };
      await env.command(...before[act]);
      const dying = new DyingEventStore();
      dying.readStream = env.eventStore.readStream.bind(env.eventStore);
      const deps = { eventStore: dying, clock: env.clock, random: new SeededRandom(9), proofs: new SpecProofs() };
      const killed = env.startWorker(new CommandHandling(deps));
      await env.clock.advance(100);
      killed.stop.abort();
      await killed.ended;
      expect(env.gateway.count(act)).toBe(1);
      const recordedBefore = (await env.types()).length;

      env.startWorker();
      await env.clock.advance(11_000);
      expect((await env.types()).length).toBeGreaterThan(recordedBefore);
      expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
      expect(env.gateway.count(act)).toBe(1);
    },
  );

  it('keeps the payment waiting for its pause, and is logged', async () => {
    const env = setUp();
    await env.command(create());
    const deps = {
      eventStore: new DyingEventStore(),
      clock: env.clock,
      random: new SeededRandom(9),
      proofs: new SpecProofs(),
    };
    deps.eventStore.readStream = env.eventStore.readStream.bind(env.eventStore);
    env.startWorker(new CommandHandling(deps));
    await env.clock.advance(100);
    env.startWorker();
    await env.clock.advance(5_000);
    expect(await env.types()).toEqual(['PaymentCreated']);
    expect(env.logger.records.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});

describe('stopping', () => {
  it('waits for the gateway call in hand, then gives it up as unknown', async () => {
    const env = setUp();
    env.gateway.script('authorize', 'hangs');
    const worker = env.startWorker();
    await env.command(create());
    await env.clock.advance(100);
    worker.stop.abort();
    await env.clock.advance(6_000);
    await worker.ended;
    expect(await env.payment()).toMatchObject({ retry: { operation: 'AUTHORIZE', reason: 'OUTCOME_UNKNOWN' } });
  });
});
