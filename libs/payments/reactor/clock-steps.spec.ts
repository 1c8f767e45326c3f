import type { EventMetadata } from '@app/event-sourcing';
import { authorization, create, createChallenged, createManual, capturePayment } from '@app/payments/testing/payments';
import { ManualClock } from '@app/platform/testing';
import { ProcessingEnvironment, START_MS } from './testing/processing-environment';
import { ScriptedGateway } from './testing/scripted-gateway';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let env: ProcessingEnvironment;
beforeEach(() => {
  env = new ProcessingEnvironment(new ScriptedGateway(), undefined, new ManualClock(START_MS));
});
afterEach(() => env.stop());

const recordedTimes = async () =>
  (await env.recorded()).map(({ metadata }) => (JSON.parse(metadata) as EventMetadata).recordedAt);

describe('when the clock is put back', () => {
  it.each([-SECOND, -15 * SECOND, -30 * DAY])('by %d ms, what is due at once is done at once', async (byMs) => {
    await env.command(create());
    env.clock.step(byMs);
    env.startWorker();
    await env.clock.advance(2 * SECOND);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
    const times = await recordedTimes();
    expect(times).toEqual([...times].sort());
  });

  it('what a later clock has put off is taken up within seconds, and backs off from then on', async () => {
    env.clock.step(HOUR);
    env.gateway.script('authorize', ...Array<'unavailable'>(6).fill('unavailable'));
    env.startWorker();
    await env.command(create());
    await env.clock.advance(20 * SECOND);
    const before = env.gateway.calls.length;
    env.clock.step(-HOUR);
    await env.clock.advance(2 * SECOND);
    expect(env.gateway.calls.length).toBe(before + 1);
    // Recorded times stay an hour ahead meanwhile: waits are counted by the clock they started under.
    await env.clock.advance(30 * SECOND);
    expect(env.gateway.calls.length).toBe(before + 1);
    await env.clock.advance(8 * MINUTE);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
  });

  it('a worker that died holds nothing back by leases of the later clock', async () => {
    await env.command(create());
    await env.clock.advance(SECOND);
    const dead = { name: 'reactor/payments/processing', owner: 'of a process that is gone', leaseMs: 5_000 };
    expect(await env.readStore.lease({ ...dead, nowMs: env.clock.nowMs() + HOUR })).toEqual([dead.owner]);
    env.startWorker();
    await env.clock.advance(2 * SECOND);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
  });
});

describe('when the clock leaps ahead', () => {
  it('and is put right, the customer has all the time that was promised', async () => {
    env.startWorker();
    await env.command(createChallenged());
    await env.clock.advance(25 * SECOND);
    env.clock.step(DAY);
    await env.clock.advance(50 * SECOND);
    expect(await env.payment()).toMatchObject({ phase: 'AWAITING_CUSTOMER' });
    env.clock.step(-DAY);
    await env.clock.advance(28 * MINUTE);
    expect(await env.payment()).toMatchObject({ phase: 'AWAITING_CUSTOMER' });
    await env.clock.advance(2 * MINUTE);
    expect(await env.payment()).toMatchObject({ status: 'EXPIRED' });
  });

  it('past the end of a hold, the hold is voided once the clock has kept to that for a minute, and not before', async () => {
    await env.command(createManual(), authorization());
    env.startWorker();
    await env.clock.advance(SECOND);
    env.clock.step(8 * DAY);
    await env.clock.advance(55 * SECOND);
    expect(await env.payment()).toMatchObject({ status: 'AUTHORIZED' });
    await env.clock.advance(10 * SECOND);
    expect(await env.payment()).toMatchObject({ status: 'EXPIRED' });
  });

  it('what is due at once is done at once, and what was put off when its time has passed', async () => {
    await env.command(createManual(), authorization());
    env.startWorker();
    await env.clock.advance(SECOND);
    env.clock.step(HOUR);
    env.gateway.script('capture', 'unavailable', 'unavailable');
    await env.command(capturePayment(1n));
    await env.clock.advance(5 * SECOND);
    expect(env.gateway.calls).toEqual(['capture txn_c', 'capture txn_c', 'capture txn_c']);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
  });
});
