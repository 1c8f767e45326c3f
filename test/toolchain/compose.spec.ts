import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { loadConfiguration, loadGatewayServerConfiguration, ROLES } from '@app/platform/configuration';
import { GATEWAY_CALLBACK_ROUTES } from '@app/gateway';
import { eventually } from '../support/eventually';
import { freePort } from '../support/free-port';
import { askedVariables, COMPOSE_TEXT, type ComposeService, readCompose, readImage } from '../support/compose';

const ROOT = resolve(__dirname, '../..');
const run = promisify(execFile);
const secret = () => randomBytes(32).toString('base64');
const REDIS_PASSWORD = randomBytes(32).toString('hex');
const SECRETS = { OPERATOR_TOKEN: secret(), MASTER_KEY: secret(), GATEWAY_SECRET: secret(), REDIS_PASSWORD };

const compose = readCompose(SECRETS);
const image = readImage();
const services = Object.entries(compose.services);
/** Those that run a program of ours. */
const programs = services.filter(([, { image: name }]) => name === 'counterfoil');
const programOf = ({ command = image.command }: ComposeService) =>
  /^dist\/apps\/([a-z]+)\/main\.js$/.exec(command.at(-1) ?? '')?.[1];
const serviceOf = (role: string) => programs.filter(([, { environment }]) => environment?.['ROLES'] === role);
const gateways = programs.filter(([, service]) => programOf(service) === 'gateway');
const count = (chosen: typeof programs) => chosen.reduce((sum, [, { deploy }]) => sum + (deploy?.replicas ?? 1), 0);

/** The variables of a container, and those that its program asks for. */
function started(service: ComposeService) {
  const environment = { ...image.environment, ...service.environment };
  const asked = new Set<string>();
  const recorded = new Proxy(environment, {
    get: (target, name) => {
      asked.add(String(name));
      return Reflect.get(target, name) as string | undefined;
    },
  });
  const load = programOf(service) === 'gateway' ? loadGatewayServerConfiguration : loadConfiguration;
  return { configuration: load(recorded), asked };
}

/** What the lines at the head of the file write into `.env`. */
async function secretsMade(): Promise<Readonly<Record<string, string>>> {
  const lines = /^# +(\(umask 077; set -C; .*\n# .*> \.env\))$/m.exec(COMPOSE_TEXT)?.[1] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'compose-'));
  try {
    await run('sh', ['-c', lines.replace(/\n# +/, '\n')], { cwd: folder });
    const text = readFileSync(join(folder, '.env'), 'utf8');
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    return Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.+)$/gm)].map(([, name, value]) => [name, value]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('docker-compose.yml', () => {
  it.each(programs)(
    '%s runs a program that the image has, and its configuration takes every variable',
    (_, service) => {
      expect(existsSync(resolve(ROOT, 'apps', programOf(service) ?? 'none', 'main.ts'))).toBe(true);
      const { configuration, asked } = started(service);
      expect(Object.keys(service.environment ?? {}).filter((name) => !asked.has(name))).toEqual([]);
      // What the image says of itself: its health check goes to that port, its volume is that folder.
      expect(configuration).toMatchObject({
        host: '0.0.0.0',
        port: Number(image.environment['PORT']),
        dataDir: '/data',
      });
    },
  );

  it('has two processes of each role, and one of each program that keeps something of its own', () => {
    for (const role of ROLES) expect([role, count(serviceOf(role))]).toEqual([role, 2]);
    expect(count(gateways)).toBe(1);
    expect(programs).toHaveLength(ROLES.length + 2);
  });

  it('starts all roles with the same variables but that which names them', () => {
    const common = ROLES.flatMap(serviceOf).map(([, { environment }]) => ({ ...environment, ROLES: undefined }));
    for (const environment of common) expect(environment).toEqual(common[0]);
  });

  it('names services, and their ports, in every URL that leads from one container to another', () => {
    const [, { environment: role = {} } = {}] = serviceOf('api')[0] ?? [];
    const [, { environment: gateway = {} } = {}] = gateways[0] ?? [];
    const { PORT } = image.environment;
    expect(new URL(role['GATEWAY_URL'] ?? '')).toMatchObject({ hostname: 'gateway', port: PORT });
    const callbacks = new URL(gateway['GATEWAY_CALLBACK_URL'] ?? '');
    expect(callbacks).toMatchObject({ hostname: 'api', port: PORT, pathname: GATEWAY_CALLBACK_ROUTES[0] });
    expect(role['EVENTSTORE_URL']).toBe('esdb://kurrentdb:2113?tls=false');
    expect(role['REDIS_URL']).toBe(`redis://:${REDIS_PASSWORD}@redis:6379`);
    for (const name of ['gateway', 'api', 'kurrentdb', 'redis']) expect(compose.services).toHaveProperty(name);
    // Every API hears callbacks under that name.
    for (const [name, { networks }] of serviceOf('api')) {
      expect([name, ...(networks?.['default']?.aliases ?? [])]).toContain('api');
    }
    expect(gateway['GATEWAY_SECRET']).toBe(role['GATEWAY_SECRET']);
  });

  it('publishes ports on this machine alone: one each, no ranges, and where the customer is sent to', () => {
    const published = services.flatMap(([name, { ports = [], deploy }]) => {
      if (ports.length > 0) expect([name, deploy?.replicas ?? 1]).toEqual([name, 1]);
      return ports.map((port) => [name, ...(/^127\.0\.0\.1:(\d+):(\d+)$/.exec(port)?.slice(1) ?? [port])] as const);
    });
    const inside = image.environment['PORT'];
    expect(published.sort()).toEqual([
      ['api', '3000', inside],
      ['api-2', '3001', inside],
      ['gateway', '3100', inside],
    ]);
    const publicUrls = ['api', 'gateway'].map((name) => compose.services[name]?.environment?.['PUBLIC_URL']);
    expect(publicUrls).toEqual(['http://localhost:3000', 'http://localhost:3100']);
  });

  it.each(programs)('%s can write to DATA_DIR and /tmp, and to nothing else', (_, service) => {
    const hardened = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
    expect(service).toMatchObject(hardened);
    // The user of node's images; a named volume takes the owner of the folder that the image has there.
    expect(image).toMatchObject({ user: 'node', volumes: [image.environment['DATA_DIR']] });
    const mounts = [...(service.volumes ?? []), ...(service.tmpfs ?? [])];
    const [volume] = service.volumes ?? [];
    const data = volume ?? '/data:uid=1000,gid=1000,mode=0700';
    expect(mounts.sort()).toEqual([data, '/tmp'].sort());
    if (volume !== undefined) {
      expect(volume).toMatch(/^[a-z]+:\/data$/);
      expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '');
    }
  });

  it('keeps what must outlive a container: the log, the books, and the credentials that both APIs show', () => {
    const keeping = services.flatMap(([name, { volumes = [] }]) => volumes.map((volume) => [name, volume]));
    expect(Object.fromEntries(keeping)).toEqual({
      kurrentdb: 'kurrentdb:/var/lib/kurrentdb',
      gateway: 'gateway:/data',
      api: 'api:/data',
      'api-2': 'api:/data',
    });
    expect(Object.keys(compose.volumes).sort()).toEqual(['api', 'gateway', 'kurrentdb']);
  });

  it.each(services)('%s has limits, comes back by itself, and is asked whether it is alive', (name, service) => {
    expect(service).toMatchObject({ restart: 'unless-stopped' });
    expect(service.deploy?.resources?.limits).toMatchObject({
      cpus: expect.stringMatching(/^\d/),
      memory: expect.stringMatching(/^\d+[mg]$/),
    });
    const own = service.healthcheck?.test ?? [];
    expect([name, own.length > 0 || service.image === 'counterfoil']).toEqual([name, true]);
  });

  it.each(programs)('%s is given longer to stop than its 10 s', (_, { stop_grace_period: grace = '10s' }) => {
    expect(Number(/^(\d+)s$/.exec(grace)?.[1])).toBeGreaterThan(10);
  });

  it('builds the image once, and pulls it never', () => {
    const builds = programs.filter(([, { build }]) => build !== undefined);
    expect(builds.map(([name, { pull_policy }]) => [name, pull_policy])).toEqual([['api', 'build']]);
    const others = programs.filter(([, { build }]) => build === undefined);
    expect(new Set(others.map(([, { pull_policy }]) => pull_policy))).toEqual(new Set(['never']));
  });

  it('lets Redis evict nothing, within its memory', () => {
    const { command = [] } = compose.services['redis'] ?? {};
    expect(command.join(' ')).toContain('--maxmemory 900mb --maxmemory-policy noeviction');
  });

  it('has a password on Redis, which its clients and its own health check have too', async () => {
    const { command = [], environment = {} } = compose.services['redis'] ?? {};
    expect(environment).toEqual({ REDISCLI_AUTH: REDIS_PASSWORD });
    const port = await freePort();
    const [program = '', ...args] = command;
    const server = spawn(program, [...args, '--port', String(port), '--bind', '127.0.0.1'], { stdio: 'ignore' });
    const ping = async (env: Readonly<Record<string, string>>) => {
      const { stdout } = await run('redis-cli', ['-p', String(port), 'ping'], { env: { ...process.env, ...env } });
      return stdout.trim();
    };
    try {
      await eventually('Redis to answer', () =>
        ping(environment)
          .then((answer) => answer === 'PONG')
          .catch(() => false),
      );
      expect(await ping({ REDISCLI_AUTH: '' })).toMatch(/^NOAUTH/);
      const [, service] = serviceOf('api')[0]!;
      const { password } = new URL(service.environment?.['REDIS_URL'] ?? '');
      expect(await ping({ REDISCLI_AUTH: password })).toBe('PONG');
    } finally {
      server.kill('SIGKILL');
    }
  });

  it('asks for the secrets that its first lines make, and has a default for everything else', async () => {
    const required = askedVariables().flatMap(({ name, fallback }) => (fallback === null ? [name] : []));
    const made = await secretsMade();
    expect([...new Set(required)].sort()).toEqual(Object.keys(made).sort());
    expect(Object.keys(made).sort()).toEqual(Object.keys(SECRETS).sort());
    // As they come, they fit into what takes them.
    const service = readCompose(made).services['api']!;
    expect(started(service).configuration).toMatchObject({ mode: 'development' });
    expect(new URL(service.environment?.['REDIS_URL'] ?? '').password).toBe(made['REDIS_PASSWORD']);
    for (const name of Object.keys(made)) expect(() => readCompose({ ...SECRETS, [name]: '' })).toThrow(name);
    for (const { name, fallback } of askedVariables()) {
      if (/SECRET|TOKEN|KEY|PASSWORD/.test(name)) expect([name, fallback]).toEqual([name, null]);
    }
  });
});

describe('the health check of the image', () => {
  let server: Server | null = null;

  afterEach(() => server?.close());

  async function check(answer: number | null): Promise<number> {
    server = createServer((request, response) => {
      response.statusCode = request.url === '/health/live' ? (answer ?? 200) : 404;
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise((wake) => server?.once('listening', wake));
    const { port } = server.address() as AddressInfo;
    if (answer === null) await new Promise((wake) => server?.close(wake));
    const [, ...args] = image.healthCheck;
    expect(image.healthCheck[0]).toBe('node');
    return new Promise((end) => {
      const child = execFile(process.execPath, args, { env: { PORT: String(port) } });
      child.once('exit', (code) => end(code ?? -1));
    });
  }

  it.each([
    [200, 0],
    [503, 1],
    [null, 1],
  ])('ends after an answer of %j with %j', async (answer, code) => {
    expect(await check(answer)).toBe(code);
  });

  it('and its command run on an entry point that has them', () => {
    expect([image.entryPoint, image.command]).toEqual([
      ['node'],
      ['--enable-source-maps', 'dist/apps/counterfoil/main.js'],
    ]);
  });
});
