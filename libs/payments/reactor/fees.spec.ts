import type { FeeSchedule } from '@app/merchants/domain';
import { DamagedHistoryError } from '@app/event-sourcing';
import { create, createManual, capturePayment } from '@app/payments/testing/payments';
import { ProcessingEnvironment } from './testing/processing-environment';
import { declined, ScriptedGateway } from './testing/scripted-gateway';

const MINUTE = 60_000;
const schedule: FeeSchedule = { basisPoints: 250, fixedMinor: [['EUR', '10']] };
const environments: ProcessingEnvironment[] = [];

function setUp() {
  const environment = new ProcessingEnvironment(new ScriptedGateway());
  environment.feeScheduleOf = () => schedule;
  environments.push(environment);
  return environment;
}

afterEach(async () => {
  for (const environment of environments.splice(0)) await environment.stop();
});

async function captured(environment: ProcessingEnvironment) {
  const event = (await environment.recorded()).find(({ type }) => type === 'PaymentCaptured');
  return event === undefined ? null : (JSON.parse(event.data) as { amountMinor: string; feeMinor: string });
}

describe('the fee of a capture', () => {
  it("follows the merchant's schedule, and stands in the event", async () => {
    const env = setUp();
    const asked: string[] = [];
    env.feeScheduleOf = (merchantId) => {
      asked.push(merchantId);
      return schedule;
    };
    env.startWorker();
    await env.command(create());
    await env.clock.advance(10);
    expect(await captured(env)).toMatchObject({ amountMinor: '1000', feeMinor: '35' });
    expect(asked).toEqual(['m1']);
  });

  it('is charged on what was captured, not on what was authorized', async () => {
    const env = setUp();
    env.startWorker();
    await env.command(createManual());
    await env.clock.advance(10);
    await env.command(capturePayment(20n));
    await env.clock.advance(10);
    // 2.5 % of 20 is half a minor unit, which rounds to the even zero.
    expect(await captured(env)).toMatchObject({ amountMinor: '20', feeMinor: '10' });
  });

  it('is the one that holds when the capture is recorded', async () => {
    const env = setUp();
    env.gateway.script('capture', 'answer-lost');
    env.startWorker();
    await env.command(create());
    await env.clock.advance(10);
    expect(await captured(env)).toBeNull();
    env.feeScheduleOf = () => ({ basisPoints: 100, fixedMinor: [] });
    await env.clock.advance(2_000);
    expect(await captured(env)).toMatchObject({ feeMinor: '10' });
    expect(env.gateway.count('capture')).toBe(1);
  });

  it('is not asked for when the capture is refused', async () => {
    const env = setUp();
    env.feeScheduleOf = () => {
      throw new Error('not known');
    };
    env.gateway.script('capture', { answers: declined });
    env.startWorker();
    await env.command(create());
    await env.clock.advance(10);
    expect(await env.payment()).toMatchObject({ status: 'FAILED' });
  });

  it('of a merchant whose history is damaged is not due: nothing is taken for it until that is healed', async () => {
    const env = setUp();
    env.checkMerchant = () => {
      throw new DamagedHistoryError({ streamId: 'merchant-m1', revision: 1 }, 'FOREIGN', 'not ours');
    };
    env.startWorker();
    await env.command(create());
    await env.clock.advance(10);
    expect([env.gateway.count('authorize'), env.gateway.count('capture')]).toEqual([0, 0]);
    env.checkMerchant = () => undefined;
    await env.clock.advance(70_000);
    expect(await captured(env)).toMatchObject({ feeMinor: '35' });
  });

  it('that can not be told yet keeps the capture from being recorded, not from being made once', async () => {
    const env = setUp();
    env.feeScheduleOf = () => {
      throw new Error('not known');
    };
    env.startWorker();
    await env.command(create());
    await env.clock.advance(10);
    expect(await captured(env)).toBeNull();
    env.feeScheduleOf = () => schedule;
    await env.clock.advance(MINUTE);
    expect(await captured(env)).toMatchObject({ feeMinor: '35' });
    expect(env.gateway.count('capture')).toBe(1);
  });
});
