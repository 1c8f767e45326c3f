import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { counterfoil } from '../support/cli';
import { eventually } from '../support/eventually';
import { freePort } from '../support/free-port';
import { mainOf, NODE } from '../support/programs';

const ROOT = resolve(__dirname, '../..');
const read = <T>(file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as T;
const { version } = read<{ version: string }>('package.json');
const { commit } = read<{ commit: string }>('dist/build.json');

const SECRET = 'a-gateway-secret-of-the-tests-only';

/** The program, with a port for each that it may listen at; in development its folder is all that it needs. */
async function start(program: 'counterfoil' | 'eventstore' | 'gateway', dataDir: string) {
  const [port, other] = [await freePort(), await freePort()].map(String);
  const ports =
    program === 'gateway' ? { GATEWAY_PORT: port, GATEWAY_SECRET: SECRET } : { PORT: port, EVENTSTORE_PORT: other };
  const env = {
    PATH: process.env['PATH'],
    DATA_DIR: dataDir,

    ...ports,
  };
  const child = spawn(NODE, [mainOf(program)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  await eventually(`${program} to be ready`, async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended at its start`);
    return (await fetch(`${url}/health/ready`).catch(() => null))?.ok;
  }).catch(async (error: unknown) => {
    if (child.exitCode === null) await stop();
    throw error;
  });
  return { url, stop, firstLine: () => JSON.parse(text.split('\n')[0] ?? '') as object };
}

it.each(['counterfoil', 'eventstore', 'gateway'] as const)(
  '%s says which version and commit it is in its first log line, its health and a metric',
  async (program) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-'));
    const { url, stop, firstLine } = await start(program, dataDir);
    try {
      expect(firstLine()).toMatchObject({ version, commit });
      for (const path of ['live', 'ready']) {
        expect(await (await fetch(`${url}/health/${path}`)).json()).toMatchObject({ version, commit });
      }
      const metrics = await (await fetch(`${url}/metrics`)).text();
      expect(metrics).toContain(`counterfoil_build_info{version="${version}",commit="${commit}"} 1\n`);
    } finally {
      await stop();
      rmSync(dataDir, { recursive: true });
    }
  },
);

it.each(['--version', '-v'])('counterfoil %s says it, too', async (option) => {
  const { code, stdout } = await counterfoil([option], {});
  expect([code, stdout]).toEqual([0, `counterfoil ${version} (${commit})\n`]);
});
