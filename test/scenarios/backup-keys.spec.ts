import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { counterfoil } from '../support/cli';
import { MerchantClient } from '../support/merchant-client';
import { createCompleted } from '../support/payments';
import { Service, startRefused } from '../support/service';

let folder: string;
let service: Service;
let copy: Service | null = null;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'backup-keys-'));
  service = await Service.start();
});

afterAll(async () => {
  for (const running of [service, copy]) {
    await running?.stop();
    await running?.removeData();
  }
  rmSync(folder, { recursive: true, force: true });
});

it('a master key that a rotation has retired does not go into a backup, which opens with the one that took its place', async () => {
  const retired = readFileSync(join(service.dataDir, 'master.key'), 'utf8').trim();
  const masterKey = randomBytes(32).toString('base64');
  await createCompleted(new MerchantClient(service.url, service.credentials));
  const backUp = (to: string) => counterfoil(['backup', to], { DATA_DIR: service.dataDir });

  const before = join(folder, 'before');
  expect(await backUp(before)).toEqual({ code: 0, stdout: expect.not.stringContaining('Warning'), stderr: '' });
  expect(readFileSync(join(before, 'master.key'), 'utf8').trim()).toBe(retired);

  await service.stop();
  service = await service.restart({ MASTER_KEY: masterKey, MASTER_KEY_PREVIOUS: retired });
  expect(service.log).toContain('MASTER_KEY_PREVIOUS can be removed');
  const after = join(folder, 'after');
  const { code, stdout } = await backUp(after);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('Warning: master.key in DATA_DIR does not'),
  });
  expect(stdout).not.toContain('not in DATA_DIR:');
  expect(stdout).not.toContain(retired);
  expect(readdirSync(after).sort()).toEqual(['events.sqlite', 'gateway.sqlite', 'operator.token', 'sandbox.json']);

  copy = await Service.start({ dataDir: after, env: { MASTER_KEY: masterKey } });
  await createCompleted(new MerchantClient(copy.url, copy.credentials));
  expect(await copy.stop()).toBe(0);
  // Without it a key is made as for a first start, and opens nothing.
  expect(await startRefused(after)).toMatchObject({
    code: 1,
    output: expect.stringContaining('MASTER_KEY does not open'),
  });
});
