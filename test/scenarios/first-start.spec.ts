import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { mainOf, NODE } from '../support/programs';
import { environment, eventually, freePort, type SandboxCredentials, Service, startRefused } from '../support/service';

const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-'));
let service: Service | null = null;

afterAll(async () => {
  await service?.stop();
  await service?.removeData();
});

const kept = <T>(file: string) => JSON.parse(readFileSync(join(dataDir, file), 'utf8')) as T;

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

it('shows the credentials once, on a terminal, with a request that makes a payment when it is pasted into a shell', async () => {
  const env = await environment(dataDir, { PORT: String(await freePort()) });
  const child = spawn('script', ['-qefc', `${NODE} ${mainOf('counterfoil')}`, '/dev/null'], { env });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
  const exited = once(child, 'exit');
  await eventually('the welcome', async () => shown.includes('npm run demo'));
  const { accessToken, signingSecret } = kept<SandboxCredentials>('sandbox.json');
  for (const text of [accessToken, signingSecret, '/docs']) expect(shown).toContain(text);
  const answer = execFileSync('sh', ['-c', pasted(shown.replaceAll('\r', ''))], { encoding: 'utf8' });
  expect(answer).toContain('HTTP/1.1 201 Created');
  expect(answer).toContain('"status":"PROCESSING"');
  process.kill(kept<{ pid: number }>('service.json').pid, 'SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(existsSync(join(dataDir, 'service.json'))).toBe(false);
});

it('tells only where they are where it writes into a file, also when it has just made them', async () => {
  for (const folder of [dataDir, mkdtempSync(join(tmpdir(), 'counterfoil-'))]) {
    service = await Service.start({ dataDir: folder });
    const { accessToken, signingSecret, webhookSecret } = service.credentials;
    for (const secret of [accessToken, signingSecret, webhookSecret, service.operatorToken]) {
      expect(service.log).not.toContain(secret);
    }
    expect(service.log).toContain(join(folder, 'sandbox.json'));
    await service.stop();
    if (folder !== dataDir) await service.removeData();
  }
});

it('is found by the demo, which is told nothing but its folder', async () => {
  service = await Service.start({ dataDir });
  const { COUNTERFOIL_URL: _url, HOST: _host, PORT: _port, ...inherited } = process.env;
  const demo = resolve(__dirname, '../../scripts/demo.mjs');
  const options = { env: { ...inherited, DATA_DIR: dataDir }, encoding: 'utf8' } as const;
  expect(await promisify(execFile)(NODE, [demo], options)).toMatchObject({
    stdout: expect.stringMatching(/All was as promised\.\n$/),
  });
});
