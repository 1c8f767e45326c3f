import { MerchantClient } from '../support/merchant-client';
import { createCompleted, read } from '../support/payments';
import { Service, startRefused } from '../support/service';

let service: Service;

afterAll(async () => {
  await service.stop();
  await service.removeData();
});

it('takes one process for a folder: another is refused, and takes over once the first is dead', async () => {
  service = await Service.start();
  const client = new MerchantClient(service.url, service.credentials);
  const { paymentId } = await createCompleted(client);

  const { code, output } = await startRefused(service.dataDir);
  expect(code).toBe(1);
  expect(output).toMatch(/in use by another process/);
  expect(output).toContain(service.dataDir);

  // The refused one has touched nothing: the first goes on.
  const second = await createCompleted(client);
  expect(service.running).toBe(true);
  expect(service.errors).toEqual([]);

  await service.kill();
  service = await Service.start({ dataDir: service.dataDir });
  const successor = new MerchantClient(service.url, service.credentials);
  for (const id of [paymentId, second.paymentId]) expect((await read(successor, id)).status).toBe('COMPLETED');
  await createCompleted(successor);
});
