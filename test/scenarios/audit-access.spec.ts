import { openLog } from '../../apps/cli/audit/open-log';
import { SystemClock, SystemRandom } from '@app/platform/lifecycle/system-environment';
import type { EventStore, RecordedEvent } from '@app/event-sourcing';
import { AuditorClient } from '../support/auditor-client';
import { counterfoil } from '../support/cli';
import { EventStoreProcess } from '../support/event-store-process';
import { MerchantClient } from '../support/merchant-client';
import { createCompleted } from '../support/payments';
import { Service } from '../support/service';

let eventStore: EventStoreProcess;
let service: Service;
let auditor: AuditorClient;
const opened: EventStore[] = [];

beforeAll(async () => {
  eventStore = await EventStoreProcess.start();
  service = await Service.start({ env: { EVENTSTORE_URL: eventStore.url } });
  auditor = await AuditorClient.register(service);
});
afterEach(() => Promise.all(opened.splice(0).map((log) => log.close())));
afterAll(async () => {
  await service.stop();
  await service.removeData();
  await eventStore.kill();
  eventStore.removeData();
});

function open(location: string): EventStore {
  const environment = { AUDITOR_TOKEN: auditor.auditor.auditorToken };
  const log = openLog(location, { clock: new SystemClock(), random: new SystemRandom(), environment });
  opened.push(log);
  return log;
}

async function all(log: EventStore, maxCount: number, streamPrefixes: readonly string[] = ['']) {
  const events: RecordedEvent[] = [];
  for (let after: bigint | null = null; ;) {
    const batch = await log.readAll({ after, filter: { streamPrefixes }, maxCount });
    events.push(...batch.events);
    // The folder also has the streams of the event store's own.
    const own = events.filter(({ streamId }) => !streamId.startsWith('$'));
    if (batch.caughtUp) return own.map(({ position: _ofTheStore, ...event }) => event);
    after = batch.position;
  }
}

it('the same events are read from the folder, from the running service and from the event store', async () => {
  const client = new MerchantClient(service.url, service.credentials);
  const { paymentId } = await createCompleted(client);
  const online = open(service.url);
  const events = await all(online, 7);
  // It ends where it began, though its own reads have made the log longer.
  expect(await all(online, 1_000)).toEqual(events);
  const streamId = `payment-${paymentId.slice(4)}`;
  const inStream = events.filter((event) => event.streamId === streamId);
  expect(inStream.length).toBeGreaterThan(3);
  for (const log of [open(eventStore.dataDir), open(eventStore.url), online]) {
    expect((await all(log, 100)).slice(0, events.length)).toEqual(events);
    expect(await all(log, 2, ['payment-', 'keys'])).toEqual(
      events.filter(({ streamId: id }) => /^payment-|^keys/.test(id)),
    );
    const read = async (options: Parameters<EventStore['readStream']>[1]) =>
      (await log.readStream(streamId, options)).map(({ position: _ofTheStore, ...event }) => event);
    expect(await read({})).toEqual(inStream);
    expect(await read({ direction: 'backwards', maxCount: 2 })).toEqual(inStream.toReversed().slice(0, 2));
    expect(await read({ from: 1, maxCount: 2 })).toEqual(inStream.slice(1, 3));
    expect(await log.readStream('payment-unknown')).toEqual([]);
  }
});

it('a service that does not take the token, or does not run, is named', async () => {
  const wrong = new AuditorClient(service, { ...auditor.auditor, auditorToken: 'cfa_wrong' });
  const environment = { AUDITOR_TOKEN: wrong.auditor.auditorToken };
  const log = openLog(`${service.url}/`, { clock: new SystemClock(), random: new SystemRandom(), environment });
  await expect(log.head()).rejects.toThrow('does not take the token in AUDITOR_TOKEN');
  const missing = () => openLog(service.url, { clock: new SystemClock(), random: new SystemRandom(), environment: {} });
  expect(missing).toThrow('Set AUDITOR_TOKEN');
});

it("the operator's command issues, lists and revokes auditors, and prints no token unless it is asked to", async () => {
  const run = (...args: readonly string[]) =>
    counterfoil(['auditors', ...args], { DATA_DIR: service.dataDir, COUNTERFOIL_URL: service.url });
  const expires = new Date(Date.now() + 86_400_000).toISOString();
  const refused = await run('issue', 'Prüfer', '--expires', expires);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect((await run('issue', 'Prüfer')).code).toBe(2);
  const issued = await run('issue', 'Prüfer', '--expires', expires, '--show-secrets', '--json');
  const { auditorId, auditorToken } = JSON.parse(issued.stdout) as Record<string, string>;
  expect(auditorToken).toMatch(/^cfa_/);
  expect((await run('show', auditorId!)).stdout).toContain('active');
  expect((await run('revoke', auditorId!)).code).toBe(0);
  const listed = await run('list');
  expect(listed.stdout).toMatch(new RegExp(`${auditorId} +revoked`));
  expect(listed.stdout).not.toContain('cfa_');
});
