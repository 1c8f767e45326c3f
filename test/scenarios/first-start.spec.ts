import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, Service, startRefused } from '../support/service';

const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-'));
let service: Service | null = null;

afterAll(async () => {
  await service?.stop();
  await service?.removeData();
});

/** The shell lines that the first start shows. */
function pasted(output: string): string {
  const from = output.indexOf("BODY='");
  return output.slice(from, output.indexOf('\n\n', from));
}

it('that comes to nothing names the setting, and leaves the credentials to the next one', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const port = String((other.address() as { port: number }).port);
  const { code, output } = await startRefused(dataDir, { PORT: port });
  other.close();
  expect(code).toBe(1);
  expect(output).toContain(`PORT: ${port} is in use by another program`);
  expect(output).not.toMatch(/^\s+at /m);
  expect(existsSync(join(dataDir, 'sandbox.json'))).toBe(false);
});

it('shows the credentials once, with a request that makes a payment when it is pasted into a shell', async () => {
  service = await Service.start({ dataDir, env: { PORT: String(await freePort()) } });
  const { accessToken, signingSecret } = service.credentials;
  const first = service.log;
  for (const shown of [accessToken, signingSecret, '/docs', 'npm run demo']) expect(first).toContain(shown);
  const answer = execFileSync('sh', ['-c', pasted(first)], { encoding: 'utf8' });
  expect(answer).toContain('HTTP/1.1 201 Created');
  expect(answer).toContain('"status":"PROCESSING"');

  await service.stop();
  service = await Service.start({ dataDir });
  expect(service.log).not.toContain(accessToken);
  expect(service.log).toContain(join(dataDir, 'sandbox.json'));
});
