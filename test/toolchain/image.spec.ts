import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RedisServer } from '@app/stores/testing/redis/redis-server';
import { type ComposeService, readCompose } from '../support/compose';
import { Image, type ImageProcess } from '../support/image';
import { MerchantClient } from '../support/merchant-client';
import { loadOpenApi } from '../support/openapi-conformance';
import { createCompleted } from '../support/payments';
import { eventually, freePort, type SandboxCredentials } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

const jsonOf = <T>(file: string) => JSON.parse(readFileSync(resolve(__dirname, '../..', file), 'utf8')) as T;
const secret = () => randomBytes(32).toString('base64');
const REDIS_PASSWORD = randomBytes(32).toString('hex');
const SECRETS = { OPERATOR_TOKEN: secret(), MASTER_KEY: secret(), GATEWAY_SECRET: secret(), REDIS_PASSWORD };
const { services } = readCompose(SECRETS);
const programs = Object.entries(services).filter(([, { image: name }]) => name === 'counterfoil');

let image: Image;
let redis: RedisServer | null = null;
let receiver: WebhookReceiver;
const running: ImageProcess[] = [];

beforeAll(async () => {
  image = Image.make();
  receiver = await WebhookReceiver.start();
});

afterAll(async () => {
  await Promise.all(running.map((one) => one.end('SIGKILL')));
  await redis?.stop();
  await receiver.stop();
  image.remove();
});

function start(env: Readonly<Record<string, string>>, command?: readonly string[]): ImageProcess {
  const started = image.run(env, command);
  running.push(started);
  return started;
}

/** A whole payment: the API, the gateway, the projections, the processor and the webhooks have had a part in it. */
async function pays(url: string, dataDir: string): Promise<void> {
  const credentials = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as SandboxCredentials;
  await loadOpenApi(url);
  const client = new MerchantClient(url, credentials);
  const { paymentId } = await createCompleted(client, { notifyUrl: receiver.url });
  await eventually('the webhook', async () => receiver.of(paymentId)[0]);
  const list = await eventually('the list', async () => {
    const answer = await client.send('GET', '/api/v2/payments', undefined, {}, false);
    return answer.status === 200 ? answer : null;
  });
  expect(list.body['items']).toEqual(expect.arrayContaining([expect.objectContaining({ paymentId })]));
}

async function stopsInOrder(started: readonly ImageProcess[]): Promise<void> {
  for (const { program, errors } of started) expect([program, errors]).toEqual([program, []]);
  const codes = await Promise.all(started.map((one) => one.end('SIGTERM')));
  expect(codes).toEqual(started.map(() => 0));
}

describe('what the image holds', () => {
  it('has no development dependency', () => {
    const { dependencies, devDependencies } =
      jsonOf<Record<'dependencies' | 'devDependencies', object>>('package.json');
    const { packages } = jsonOf<{ packages: Record<string, { dev?: boolean }> }>('package-lock.json');
    const isThere = (name: string) => existsSync(join(image.folder, 'node_modules', name, 'package.json'));
    expect(Object.keys(dependencies).filter((name) => !isThere(name))).toEqual([]);
    // What others need is there in spite of it.
    const isNeeded = (name: string) => packages[`node_modules/${name}`]?.dev !== true;
    expect(Object.keys(devDependencies).filter((name) => isThere(name) !== isNeeded(name))).toEqual([]);
    expect(['jest', 'typescript', '@swc/core', 'node'].filter(isThere)).toEqual([]);
    expect(readdirSync(image.folder).sort()).toEqual(['dist', 'node_modules', 'package.json']);
  });

  it('is told by an argument of the build which commit it is', () => {
    const text = readFileSync(resolve(__dirname, '../../Dockerfile'), 'utf8');
    const [build = ''] = text.split(/^FROM /m).slice(1);
    expect(build).toMatch(/^ARG COUNTERFOIL_COMMIT=unknown\n(.*\n)*RUN npm run build/m);
    const { args } = Object.values(services).flatMap(({ build: how }) => how ?? [])[0]!;
    expect(Object.keys(args)).toEqual(['COUNTERFOIL_COMMIT']);
    expect(JSON.parse(readFileSync(join(image.folder, 'dist/build.json'), 'utf8'))).toEqual({
      version: jsonOf<{ version: string }>('package.json').version,
      commit: expect.stringMatching(/./),
    });
  });

  it('is enough for the whole service in one process, and for the operator’s command', async () => {
    const dataDir = image.volume('ledger');
    const port = String(await freePort());
    const ledger = start({ PORT: port, DATA_DIR: dataDir });
    await ledger.untilReady();
    expect(await ledger.isAlive()).toBe(true);
    await pays(ledger.url, dataDir);
    const cli = ['dist/apps/cli/main.js'];
    const env = { DATA_DIR: dataDir, PORT: port };
    expect(await image.output([...cli, 'projections', 'status'], env)).toMatch(/payments.*live/s);
    const backup = join(dataDir, 'backup');
    expect(await image.output([...cli, 'backup', backup], env)).toContain('events.sqlite');
    await stopsInOrder([ledger]);
    expect(await ledger.isAlive()).toBe(false);
  });

  it('is enough for all that docker-compose.yml starts, in any order, with its variables', async () => {
    const ports = { api: await freePort(), gateway: await freePort(), kurrentdb: await freePort() };
    redis = await RedisServer.start();
    await redis.command('CONFIG', 'SET', 'requirepass', REDIS_PASSWORD);
    const places: readonly (readonly [string, string])[] = [
      ['@redis:6379', redis.url.replace('redis://', '@')],
      ['kurrentdb:2113', `127.0.0.1:${ports.kurrentdb}`],
      ['http://gateway:3000', `http://127.0.0.1:${ports.gateway}`],
      ['http://api:3000', `http://127.0.0.1:${ports.api}`],
    ];
    const here = (value: string) => places.reduce((text, [there, place]) => text.replace(there, place), value);
    /** As a container: on a port of its own, with its volume, or one that nobody else has. */
    const play = (name: string, service: ComposeService, copy: number, port: number): ImageProcess => {
      const [volume] = service.volumes ?? [];
      const environment = Object.entries(service.environment ?? {}).map(([key, value]) => [key, here(value)] as const);
      const own = { PORT: String(port), GATEWAY_PORT: String(port) };
      const dataDir = image.volume(volume?.split(':')[0] ?? `${name}-${copy}`);
      return start({ ...own, ...Object.fromEntries(environment), DATA_DIR: dataDir }, service.command);
    };
    const started: ImageProcess[] = [];
    for (const [name, service] of programs) {
      for (let copy = 0; copy < (service.deploy?.replicas ?? 1); copy += 1) {
        started.push(play(name, service, copy, ports[name as keyof typeof ports] ?? (await freePort())));
      }
    }
    // The store comes last: nobody has to be started after it.
    const own = { PORT: String(await freePort()), EVENTSTORE_PORT: String(ports.kurrentdb) };
    const store = start({ ...own, DATA_DIR: image.volume('kurrentdb') }, ['dist/apps/eventstore/main.js']);
    for (const one of [store, ...started]) await one.untilReady();
    expect(await Promise.all(started.map(({ isAlive }) => isAlive()))).toEqual(started.map(() => true));
    await pays(`http://127.0.0.1:${ports.api}`, image.volume('api'));
    await stopsInOrder(started);
    await stopsInOrder([store]);
    // What the variables say is set needs no file; those without a volume keep nothing.
    expect(readdirSync(image.volume('api'))).toEqual(['sandbox.json']);
    for (const name of ['projector-0', 'processor-1', 'webhooks-0'])
      expect(readdirSync(image.volume(name))).toEqual([]);
  });

  it('can’t be written to by its programs', async () => {
    const file = JSON.stringify(join(image.folder, 'new'));
    const write = `try { fs.writeFileSync(${file}, '') } catch ({ code }) { process.stdout.write(code) }`;
    expect(await image.output(['-e', `const fs = require('node:fs'); ${write}`], {})).toBe('EACCES');
  });
});
