import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '@app/webhooks/testing/self-signed';
import { EventStoreProcess } from '../support/event-store-process';
import { eventually, freePort } from '../support/service';
import { ServiceProcess } from '../support/service-process';

const USER = 'counterfoil:s3cret-of-the-store';

let folder: string;
let eventStore: EventStoreProcess;
let service: ServiceProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-tls-'));
  const [known, other] = [selfSigned({ dns: 'localhost' }), selfSigned({ dns: 'localhost' })];
  for (const [name, text] of Object.entries({ 'ca.pem': known.cert, 'key.pem': known.key, 'other.pem': other.cert })) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  }
  eventStore = await EventStoreProcess.start({
    env: {
      EVENTSTORE_TLS_CERT: join(folder, 'ca.pem'),
      EVENTSTORE_TLS_KEY: join(folder, 'key.pem'),
      EVENTSTORE_CREDENTIALS: USER,
    },
  });
});
afterEach(() => service?.end('SIGKILL'));
afterAll(async () => {
  await eventStore.kill();
  eventStore.removeData();
  rmSync(folder, { recursive: true, force: true });
});

/** The service in one process, with a folder of its own. */
async function launch(who: string, parameters: string): Promise<ServiceProcess> {
  const { NODE_OPTIONS: _unused, ...inherited } = process.env;
  return ServiceProcess.launch('counterfoil', {
    ...inherited,
    DATA_DIR: mkdtempSync(join(folder, 'service-')),
    PORT: String(await freePort()),
    EVENTSTORE_URL: `esdb://${who}localhost:${eventStore.port}?${parameters.replace('FOLDER', folder)}`,
  });
}

it.each([
  ['counterfoil:wrong@', 'tlsCAFile=FOLDER/ca.pem', /rejects the user and password/],
  [`${USER}@`, 'tlsCAFile=FOLDER/other.pem', /certificate of the event store is not trusted/],
  ['', 'tls=false', /uses TLS, but EVENTSTORE_URL has tls=false/],
])(
  'with %slocalhost?%s readiness names what is in the way, and the log once',
  async (who, parameters, words) => {
    service = await launch(who, parameters);
    const { url } = service;
    const ask = (path: string) => fetch(url + path, { headers: { authorization: 'Bearer whoever' } });
    await eventually(
      'the reason',
      async () => {
        const answer = await ask('/health/ready').catch(() => null);
        const { reasons } = ((await answer?.json()) ?? { reasons: [] }) as { reasons: readonly { reason: string }[] };
        return reasons.some(({ reason }) => words.test(reason));
      },
      40_000,
    );
    for (let request = 0; request < 3; request += 1) expect((await ask('/api/v2/payments')).status).toBe(503);
    const told = service.log.split('\n').filter((line) => line.includes('the event store cannot be used'));
    expect([told.length, told[0]]).toEqual([1, expect.stringMatching(words)]);
  },
  90_000,
);

it('with the right ones it starts', async () => {
  service = await launch(`${USER}@`, 'tlsCAFile=FOLDER/ca.pem');
  const { url } = service;
  await eventually('readiness', async () => (await fetch(`${url}/health/ready`).catch(() => null))?.ok, 40_000);
  expect(service.errors).toEqual([]);
}, 60_000);
