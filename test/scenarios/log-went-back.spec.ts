import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Deployment } from '../support/deployment';
import { EventStoreProcess } from '../support/event-store-process';
import { MerchantClient, paymentRequest } from '../support/merchant-client';
import { clientWith, OperatorClient } from '../support/operator-client';
import { bodyOf, create, createCompleted, type CreatedPayment, untilStatus } from '../support/payments';
import { eventually, Service, type SandboxCredentials } from '../support/service';

/** A service, in one process or a process a role, and the server that holds its log. */
interface Installation {
  readonly url: string;
  readonly credentials: SandboxCredentials;
  readonly operatorToken: string;
  /** Of each process. */
  readonly logs: () => readonly string[];
  readonly end: () => Promise<void>;
}

let eventStore: EventStoreProcess;
let snapshot: string;
let installation: Installation | undefined;

beforeEach(() => {
  snapshot = mkdtempSync(join(tmpdir(), 'counterfoil-snapshot-'));
});

afterEach(async () => {
  await eventStore.kill();
  await installation?.end();
  installation = undefined;
  eventStore.removeData();
  rmSync(snapshot, { recursive: true });
});

async function oneProcess(): Promise<Installation> {
  eventStore = await EventStoreProcess.start();
  const service = await Service.start({ env: { EVENTSTORE_URL: eventStore.url } });
  const { url, credentials, operatorToken } = service;
  const end = async () => {
    await service.kill();
    await service.removeData();
  };
  return { url, credentials, operatorToken, logs: () => [service.log], end };
}

async function roleByRole(): Promise<Installation> {
  const deployment = await Deployment.start({ api: 1, projector: 1, processor: 1, webhooks: 1 });
  ({ eventStore } = deployment);
  const { url, credentials, operatorToken } = deployment;
  return {
    url,
    credentials,
    operatorToken,
    logs: () => deployment.all.map(({ log }) => log),
    end: () => deployment.end(),
  };
}

/** Replaces what the server holds while nobody can reach it. */
async function replaceLog(replace: (folder: string) => void): Promise<void> {
  await eventStore.kill();
  replace(eventStore.dataDir);
  eventStore = await eventStore.restart();
}

async function untilReady({ url }: Installation): Promise<void> {
  await eventually('readiness', async () => (await fetch(`${url}/health/ready`).catch(() => null))?.ok, 30_000);
}

const empty = (folder: string): void => {
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
};
const lists = (client: MerchantClient) => client.send('GET', '/api/v2/payments?limit=100', undefined, {}, false);
const isAnswered = (status: number) => (answer: { readonly status: number } | null) => answer?.status === status;

describe.each([
  ['in one process', oneProcess],
  ['with a process of each role', roleByRole],
])('%s', (_mode, start) => {
  it('starts over by itself when the log goes back, and does what that holds and nothing else', async () => {
    installation = await start();
    const { url, logs } = installation;
    const client = new MerchantClient(url, installation.credentials);
    const operator = new OperatorClient(installation);
    const kept = await createCompleted(client);
    const path = `/merchants/${client.credentials.merchantId}/tokens`;
    const issued = bodyOf<{ tokenId: string; accessToken: string }>(await operator.send('POST', path, {}), 201);
    await replaceLog((folder) => cpSync(folder, snapshot, { recursive: true }));
    await untilReady(installation);

    const forgotten = await createCompleted(client);
    const newcomer = await operator.register('Registered too late');
    await create(newcomer);
    expect((await operator.send('DELETE', `${path}/${issued.tokenId}`)).status).toBe(204);

    await replaceLog((folder) => {
      empty(folder);
      cpSync(snapshot, folder, { recursive: true });
    });
    // What is acknowledged from now on is in the log that went back, and must be done; it soon outgrows what it was.
    const acknowledged: CreatedPayment[] = [];
    const orders = async () => {
      const answer = await client.createPayment(paymentRequest({})).catch(() => null);
      if (answer?.status === 201) acknowledged.push(answer.body as unknown as CreatedPayment);
      const startedOver = logs().every((log) => log.includes('starting over from what it holds'));
      return startedOver && acknowledged.length >= 40;
    };
    await eventually('all processes to start over', orders, 60_000);
    await untilReady(installation);

    for (const { paymentId } of acknowledged) await untilStatus(client, paymentId, 'COMPLETED', 30_000);
    const known = new Set([kept, ...acknowledged].map(({ paymentId }) => paymentId));
    const listed = async () => {
      const page = await lists(client);
      if (page.status !== 200) return false;
      const ids = (page.body['items'] as readonly { readonly paymentId: string }[]).map(({ paymentId }) => paymentId);
      return ids.length === known.size && ids.every((id) => known.has(id));
    };
    await eventually('a list of what the log holds', listed, 30_000);
    expect((await client.payment(forgotten.paymentId)).status).toBe(404);
    expect((await lists(newcomer)).status).toBe(401);
    expect((await lists(clientWith(client, issued))).status).toBe(200);
  });

  it('starts over when there is an empty log at the same address', async () => {
    installation = await start();
    const { logs } = installation;
    const client = new MerchantClient(installation.url, installation.credentials);
    const { paymentId } = await createCompleted(client);
    await replaceLog(empty);
    await eventually(
      'all processes to start over',
      async () => logs().every((log) => log.includes('starting over from what it holds')),
      30_000,
    );
    await untilReady(installation);
    await eventually('the payment to be unknown', async () => isAnswered(404)(await client.payment(paymentId)), 30_000);
    // The sandbox's merchant is registered again with the credentials that everybody has.
    await createCompleted(client);
  });
});
