import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CuttingProxy } from '@app/storage/testing/cutting-proxy';
import { EventStoreProcess } from '../support/event-store-process';
import { MerchantClient } from '../support/merchant-client';
import { loadOpenApi } from '../support/openapi-conformance';
import { answerOf, askOperation, type Change, operationsOf } from '../support/operations';
import { OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted } from '../support/payments';
import { poisonBalances } from '../support/poison';
import { eventually, Service } from '../support/service';

// What the operator's requests about projections are answered while a store that they need can't be had.

interface Shown {
  readonly name: string;
  readonly partitions: readonly {
    readonly status: string;
    readonly building: { readonly stopped: object | null } | null;
  }[];
}

let service: Service;

afterEach(async () => {
  await service.stop();
  await service.removeData();
});

async function answer(operationId: string, change: Change = {}): Promise<string> {
  const { document } = await loadOpenApi(service.url);
  const operation = operationsOf(document).find((one) => one.operationId === operationId);
  if (operation === undefined) throw new Error(`There is no operation ${operationId}`);
  return answerOf(operation, await askOperation(service, operation, change));
}

const at = (path: string): Change => ({ path: `/admin/v1/projections/${path}` });

async function balances() {
  const answered = await new OperatorClient(service).send('GET', '/projections');
  const { items } = bodyOf<{ items: readonly Shown[] }>(answered, 200);
  return items.find(({ name }) => name === 'balances')?.partitions[0];
}

it('an event store that is away is told by each of them', async () => {
  const eventStore = await EventStoreProcess.start();
  let restarted = eventStore;
  const line = await CuttingProxy.to(eventStore.port);
  try {
    service = await Service.start({ env: { EVENTSTORE_URL: line.url } });
    await createCompleted(new MerchantClient(service.url, service.credentials));
    await service.stop();
    await eventStore.kill();
    // What projections have stopped at, and what a build has stopped at too, stays until somebody does something about it.
    const { position } = await poisonBalances(eventStore.dataDir, service.credentials.merchantId);
    restarted = await eventStore.restart();
    service = await service.restart({ EVENTSTORE_URL: line.url });
    await eventually('balances to stop', async () => (await balances())?.status === 'STOPPED');
    expect(await answer('rebuildProjection', at('balances/rebuild'))).toBe('rebuildProjection 202');
    await eventually('the build to stop', async () => (await balances())?.building?.stopped);
    await line.goAway();
    const body = JSON.stringify({ position, reason: 'written by hand' });
    const asked: readonly [string, Change?][] = [
      ['listProjections'],
      ['rebuildProjection', at('payments/rebuild')],
      ['skipProjectionEvent', { ...at('balances/skip'), body }],
      ['retryProjection', at('balances/retry')],
      ['cancelRebuild', at('balances/cancel')],
    ];
    for (const [operationId, change] of asked) {
      expect(await answer(operationId, change)).toBe(`${operationId} 503 EVENT_STORE_UNAVAILABLE`);
    }
    await line.comeBack();
  } finally {
    await line.goAway();
    await restarted.kill();
    eventStore.removeData();
  }
}, 60_000);

it('read models that are found to be lost are told by whoever finds it', async () => {
  service = await Service.start();
  await createCompleted(new MerchantClient(service.url, service.credentials));
  const body = JSON.stringify({ position: '1', reason: 'written by hand' });
  const asked: readonly [string, Change?][] = [
    ['listProjections'],
    ['rebuildProjection', at('payments/rebuild')],
    ['cancelRebuild', at('payments/cancel')],
    ['retryProjection', at('payments/retry')],
    ['skipProjectionEvent', { ...at('payments/skip'), body }],
  ];
  for (const [operationId, change] of asked) {
    // Now and then the service itself finds it out first.
    await eventually(`${operationId} to be the first to miss the file`, async () => {
      await eventually('the projections', async () => (await balances())?.status === 'LIVE');
      for (const name of readdirSync(service.dataDir)) {
        if (name.startsWith('read-models.sqlite')) rmSync(join(service.dataDir, name));
      }
      return (await answer(operationId, change)) === `${operationId} 503 BUSY`;
    });
  }
}, 60_000);
