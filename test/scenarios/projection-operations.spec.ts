import { type CliEnd, counterfoil } from '../support/cli';
import { eventsOf, problemsOfLog, readLog } from '../support/event-log';
import { MerchantClient } from '../support/merchant-client';
import { createCompleted } from '../support/payments';
import { type FailingEvent, appendFailingEvent } from '../support/failing-event';
import { refusal } from '../support/refusal';
import { eventually, Service } from '../support/service';

interface Shown {
  readonly status: string;
  readonly active: {
    readonly version: number;
    readonly lagEvents: number;
    readonly stopped: { position: string } | null;
  };
  readonly building: { readonly version: number; readonly stopped: { position: string } | null } | null;
}

const REASON = 'written by hand: its fee is more than its amount';
let service: Service;
let client: MerchantClient;
let failing: FailingEvent;

beforeAll(async () => {
  service = await Service.start();
  client = new MerchantClient(service.url, service.credentials);
  await createCompleted(client);
  await service.stop();
  failing = await appendFailingEvent(
    { logDir: service.dataDir, dataDir: service.dataDir },
    service.credentials.merchantId,
  );
  service = await service.restart();
});

afterAll(async () => {
  await service.stop();
  await service.removeData();
  // The stop is an error of the log, and the only one.
  expect(service.errors.filter((line) => !line.includes('projection stopped at an event'))).toEqual([]);
});

const run = (...args: string[]): Promise<CliEnd> =>
  counterfoil(['projections', ...args], { COUNTERFOIL_URL: service.url, DATA_DIR: service.dataDir });

async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function refused(...args: string[]): Promise<string> {
  const { code, stderr } = await run(...args);
  expect(code).toBe(1);
  return stderr;
}

async function shown(name: string): Promise<Shown> {
  const all = JSON.parse(await done('status', '--json')) as { name: string; partitions: Shown[] }[];
  return all.find((projection) => projection.name === name)!.partitions[0]!;
}

const untilStopped = () => eventually('balances to stop', async () => (await shown('balances')).status === 'STOPPED');

it('a failing event stops one projection, which says where and why; the others go on', async () => {
  await untilStopped();
  const text = await done('status');
  expect(text).toMatch(/^balances +stopped /m);
  expect(text).toContain(`balances has stopped at position ${failing.position}, since `);
  expect(text).toContain(`event   PaymentCaptured ${failing.streamId}@0`);
  expect(text).toMatch(/reason {2}.*a fee of 101 was charged on a capture of 100/);
  expect(text).toContain(`counterfoil projections skip balances --position ${failing.position} --reason "..."`);
  await createCompleted(client);
  for (const name of ['payments', 'processing', 'webhook-deliveries']) {
    await eventually(`${name} to catch up`, async () => (await shown(name)).active.lagEvents === 0);
    expect((await shown(name)).status).toBe('LIVE');
  }
  expect((await shown('balances')).active.lagEvents).toBeGreaterThan(0);
  // Figures that no longer are what is would be taken for it.
  const answer = await client.send('GET', '/api/v2/balances', undefined, {}, false);
  expect(refusal(answer)).toEqual([503, 'READ_MODEL_REBUILDING', []]);
});

it('a retry tries the event again, and stops there again', async () => {
  await done('retry', 'balances');
  await eventually('both stops to be logged', async () => stopsLogged() >= 2);
  await untilStopped();
  expect(await refused('retry', 'payments')).toContain('PROJECTION_NOT_STOPPED');
});

/** In this process of the service. */
function stopsLogged(): number {
  return service.log.split('projection stopped at an event').length - 1;
}

it('a rebuild stops at the event, too; it is one at a time, and can be given up', async () => {
  expect(await done('rebuild', 'balances', '--no-wait')).toContain('balances is being rebuilt');
  await eventually('the rebuild to stop', async () => (await shown('balances')).building?.stopped);
  expect(await refused('rebuild', 'balances')).toContain('REBUILD_IN_PROGRESS');
  expect(await done('status')).toContain('the rebuild of balances has stopped at position');
  expect(await done('cancel', 'balances')).toContain('given up');
  expect((await shown('balances')).building).toBeNull();
  expect(await refused('cancel', 'balances')).toContain('NO_REBUILD_IN_PROGRESS');
  // Whoever watches is told what has stopped it.
  const watched = await refused('rebuild', 'balances');
  expect(watched).toContain('The rebuild of balances has stopped');
  expect(watched).toContain(`--position ${failing.position}`);
});

it('outlives a kill; and is switched to once the event is skipped, with a reason that is in the log', async () => {
  const { building: before, active } = await shown('balances');
  await service.kill();
  service = await service.restart();
  const after = await shown('balances');
  expect(after.building).toMatchObject({ version: before!.version, stopped: { position: failing.position } });
  expect(after.active.version).toBe(active.version);

  const wrong = String(Number(failing.position) - 1);
  const skip = (position: string) => ['skip', 'balances', '--position', position, '--reason', REASON];
  expect(await refused(...skip(wrong))).toContain('PROJECTION_STOPPED_ELSEWHERE');
  expect(await eventsOf(service.dataDir, 'projection-balances')).toEqual([]);

  await done(...skip(failing.position));
  const live = await eventually('balances to be live', async () => {
    const now = await shown('balances');
    return now.status === 'LIVE' && now.building === null && now.active.version === before!.version && now;
  });
  expect(live.active.stopped).toBeNull();

  const events = await eventsOf(service.dataDir, 'projection-balances');
  expect(events.map(({ type, data }) => [type, JSON.parse(data) as unknown])).toEqual([
    [
      'ProjectionEventSkipped',
      {
        projection: 'balances',
        position: failing.position,
        eventId: failing.id,
        eventType: 'PaymentCaptured',
        streamId: failing.streamId,
        revision: 0,
        reason: REASON,
      },
    ],
  ]);
  expect((JSON.parse(events[0]!.metadata) as { actor: string }).actor).toBe('operator');
  expect(problemsOfLog(await readLog(service.dataDir))).toEqual([]);
});

it('every later rebuild repeats the skip', async () => {
  const balances = async () => (await client.send('GET', '/api/v2/balances', undefined, {}, false)).text;
  const before = { shown: await shown('balances'), balances: await balances() };
  expect(await done('rebuild', 'balances')).toMatch(/balances was rebuilt: version \d+ of \d+ events/);
  const after = await shown('balances');
  expect(after.active.version).toBeGreaterThan(before.shown.active.version);
  expect(after).toMatchObject({ status: 'LIVE', building: null, active: { stopped: null } });
  expect(await balances()).toBe(before.balances);
  expect(before.balances).toContain('EUR');
});

describe('what goes wrong is told, with an exit code', () => {
  it.each([
    [['rebuild', 'nothing'], 1, 'There is no such projection'],
    [['rebuild'], 2, '<name> is missing'],
    [['rebuild', 'a', 'b'], 2, "'b' is one argument too many"],
    [['skip', 'balances', '--position', '1'], 2, 'Give --position and --reason'],
    [['skip', 'balances', '--position', 'x', '--reason', 'r'], 1, 'position: '],
    [['status', '--all'], 2, "Unknown option '--all'"],
    [['stop'], 2, "There is no command 'projections stop'"],
    [[], 2, 'Which command?'],
  ])('%j', async (args, code, text) => {
    const end = await run(...args);
    expect({ code: end.code, stdout: end.stdout }).toEqual({ code, stdout: '' });
    expect(end.stderr).toContain(text);
  });

  it('a wrong token, none at all, and a service that is not there', async () => {
    const env = { COUNTERFOIL_URL: service.url };
    const wrong = await counterfoil(['projections', 'status'], { ...env, OPERATOR_TOKEN: 'wrong' });
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('does not take this operator token')]);
    const none = await counterfoil(['projections', 'status'], { ...env, DATA_DIR: '/nowhere' });
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('/nowhere/operator.token')]);
    const away = { COUNTERFOIL_URL: 'http://127.0.0.1:1', OPERATOR_TOKEN: 'x' };
    const unreachable = await counterfoil(['projections', 'status'], away);
    expect([unreachable.code, unreachable.stderr]).toEqual([3, expect.stringContaining('Is it running?')]);
  });

  it.each([[['--help']], [['projections', '--help']], [['projections', 'skip', '--help']], [['backup', '-h']]])(
    'but %j explains',
    async (args) => {
      const { code, stdout, stderr } = await counterfoil(args, {});
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('counterfoil ');
    },
  );
});
