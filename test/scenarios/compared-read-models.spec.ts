import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { counterfoil } from '../support/cli';
import { MerchantClient } from '../support/merchant-client';
import { createCompleted } from '../support/payments';
import { eventually, Service } from '../support/service';

/** A round of comparison begins 30 s after the last. */
const FOUND_WITHIN_MS = 90_000;

let service: Service;
beforeAll(async () => {
  service = await Service.start();
});
afterAll(async () => {
  await service.stop();
  await service.removeData();
});

const cli = (...args: readonly string[]) =>
  counterfoil(args, { DATA_DIR: service.dataDir, COUNTERFOIL_URL: service.url });

async function reasons(): Promise<readonly string[]> {
  const answer = await fetch(`${service.url}/health/ready`);
  expect(answer.status).toBe(200);
  const { reasons: given } = (await answer.json()) as { reasons: readonly { name: string }[] };
  return given.map(({ name }) => name);
}

it('a hole in a read model is found by the auditor and by the service, which stays ready until it is rebuilt', async () => {
  const { paymentId } = await createCompleted(new MerchantClient(service.url, service.credentials));
  await eventually('all read models to have caught up', async () => {
    const { code, stdout } = await cli('audit', 'compare');
    return code === 0 && !stdout.includes('behind');
  });
  const db = new DatabaseSync(join(service.dataDir, 'read-models.sqlite'), { timeout: 2_000 });
  db.exec(`UPDATE document SET body = json_set(body, '$.body.status', 'FAILED') WHERE key = '${paymentId}'`);
  db.close();
  const { code, stdout } = await cli('audit', 'compare');
  expect(code).toBe(4);
  expect(stdout).toContain(
    `payment ${paymentId}: field body.status: the log gives "COMPLETED", the read store has "FAILED"`,
  );
  await eventually(
    'the service to find it',
    async () => (await reasons()).includes('read models compared'),
    FOUND_WITHIN_MS,
  );
  expect(service.log).toContain('a read model differs from the log');
  expect((await cli('projections', 'rebuild', 'payments')).code).toBe(0);
  await eventually('the reason to go', async () => (await reasons()).length === 0, FOUND_WITHIN_MS);
  expect((await cli('audit', 'compare')).code).toBe(0);
  expect((await cli('audit', 'replay', paymentId)).stdout).toContain('state    phase COMPLETED, status COMPLETED');
});
