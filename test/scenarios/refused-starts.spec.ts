import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreProcess, startEventStoreRefused } from '../support/event-store-process';
import { freePort } from '../support/free-port';
import { GATEWAY_SECRET, startGatewayRefused } from '../support/gateway-process';
import { startRefused } from '../support/service';

type Refused = ReturnType<typeof startRefused>;

/** Each program, and the variables that say where it listens. */
const programs: readonly [string, string, (env: Record<string, string>) => Refused][] = [
  ['counterfoil', 'PORT', (env) => startRefused(env.DATA_DIR ?? '', env, 'counterfoil')],
  ['gateway', 'GATEWAY_PORT', (env) => startGatewayRefused({ GATEWAY_SECRET, ...env })],
  ['eventstore', 'EVENTSTORE_PORT', startEventStoreRefused],
  ['eventstore', 'PORT', startEventStoreRefused],
];

let parent: string;
let other: Server;

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'counterfoil-'));
  other = createServer().listen(await freePort(), '127.0.0.1');
  await once(other, 'listening');
});

afterEach(() => {
  other.close();
  rmSync(parent, { recursive: true, force: true });
});

/** One line for whoever starts it, and no stack. */
async function expectRefusal(starting: Refused, message: RegExp): Promise<void> {
  const { code, output } = await starting;
  expect(output).toMatch(message);
  expect(output).not.toMatch(/^\s+at /m);
  expect(code).toBe(1);
}

it.each(programs)('of %s names %s when another program has it', async (_program, variable, start) => {
  const { port } = other.address() as { port: number };
  const data = join(parent, 'data');
  mkdirSync(data);
  await expectRefusal(
    start({ DATA_DIR: data, [variable]: String(port) }),
    new RegExp(`^${variable}: ${port} is in use`, 'm'),
  );
});

it.each(programs)('of %s (%s) names DATA_DIR when it is no folder', async (_program, _variable, start) => {
  const file = join(parent, 'file');
  writeFileSync(file, '');
  await expectRefusal(start({ DATA_DIR: file }), /^ *DATA_DIR: .*can't be \w+ \((EEXIST|ENOTDIR)\)$/m);
});

it.each(programs)('of %s (%s) names HOST when it is no address of this machine', async (_program, _variable, start) => {
  const data = join(parent, 'data');
  mkdirSync(data);
  // Reserved for documentation, so that no machine has it.
  await expectRefusal(
    start({ DATA_DIR: data, HOST: '192.0.2.1' }),
    /^HOST: 192\.0\.2\.1 is no address of this machine/m,
  );
});

it('of an event store names the folder that another process has', async () => {
  const owner = await EventStoreProcess.start();
  try {
    await expectRefusal(
      startEventStoreRefused({ DATA_DIR: owner.dataDir }),
      new RegExp(`${owner.dataDir}/lock.sqlite is locked`),
    );
  } finally {
    await owner.kill();
    owner.removeData();
  }
});
