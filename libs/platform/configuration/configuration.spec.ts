import { inspect } from 'node:util';

import { ConfigurationError, configurationSummary, loadConfiguration, ROLES, publicUrlAt, Secret } from './';

const KEY = 'nDM4c0mrXWl3uEVB1Oq0o2Sx5Jg7T+YkqL9hZb8RfHo=';
const OTHER_KEY = 'bq0Jm7hQx3TtV5sZK1yFhwcX2rGd8nEoUaL6iPv4C9k=';
const PRODUCTION = {
  APP_MODE: 'production',
  OPERATOR_TOKEN: 'operator-token-of-32-characters-',
  MASTER_KEY: KEY,
  GATEWAY_URL: 'https://gateway.example/v1/',
  GATEWAY_SECRET: 'gateway-secret-of-32-characters-',
};

function problemsOf(environment: Record<string, string>): Record<string, string> {
  try {
    loadConfiguration(environment);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return Object.fromEntries(error.problems.map(({ variable, problem }) => [variable, problem]));
  }
  return {};
}

describe('loadConfiguration', () => {
  it('runs in development on the embedded stores when nothing is set', () => {
    expect(loadConfiguration({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      mode: 'development',
      roles: ['api', 'projector', 'processor', 'webhooks'],
      dataDir: `${process.cwd()}/data`,
      eventStoreUrl: null,
      redisUrl: null,
      projectionPartitions: 1,
      gateway: null,
      operatorToken: null,
      masterKey: null,
      previousMasterKey: null,
      webhookAllowedCidrs: ['127.0.0.0/8', '::1/128'],
      trustedProxies: [],
      streamPrefix: '',
      rateLimit: { perSecond: 200, burst: 400 },
      maxConnections: 2_000,
      logLevel: 'info',
      publicUrl: 'http://127.0.0.1:3000',
      warnings: [],
    });
  });

  it('has the roles that are named, whatever their order', () => {
    const stores = { EVENTSTORE_URL: 'esdb://a', REDIS_URL: 'redis://a' };
    const rolesOf = (text: string) => loadConfiguration({ ...stores, ROLES: text }).roles;
    expect(rolesOf('webhooks, api,api')).toEqual(['api', 'webhooks']);
    expect(rolesOf('')).toEqual(ROLES);
    const problem = 'must be one or more of api, projector, processor, webhooks, with commas between them';
    for (const text of ['worker', 'api,', ',', 'API']) expect(problemsOf({ ROLES: text })).toEqual({ ROLES: problem });
  });

  it('takes an empty variable for one that is not set, and ignores names it does not know', () => {
    expect(loadConfiguration({ PORT: '', MASTER_KEY: '', LOG_LEVEL: '', COLOUR: 'red' })).toEqual(
      loadConfiguration({}),
    );
  });

  it('reads every variable', () => {
    const configuration = loadConfiguration({
      ...PRODUCTION,
      HOST: '::1',
      PORT: '0',
      DATA_DIR: '/var/lib/counterfoil',
      EVENTSTORE_URL: 'esdb+discover://ops:kG7vRz0qXw4n@a:2113,b:2113?tls=true',
      REDIS_URL: 'rediss://:kG7vRz0qXw4n@cache:6380/1',
      MASTER_KEY_PREVIOUS: OTHER_KEY,
      WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8, FD12::/16,192.168.1.7',
      TRUSTED_PROXIES: '10.0.0.0/24,2001:db8::/32',
      STREAM_PREFIX: 'run-7.',
      RATE_LIMIT: '5:10',
      MAX_CONNECTIONS: '50',
      LOG_LEVEL: 'debug',
      PUBLIC_URL: 'https://pay.example/base/',
    });
    expect(configuration).toMatchObject({
      host: '::1',
      port: 0,
      mode: 'production',
      dataDir: '/var/lib/counterfoil',
      webhookAllowedCidrs: ['10.0.0.0/8', 'fd12::/16', '192.168.1.7/32'],
      trustedProxies: ['10.0.0.0/24', '2001:db8::/32'],
      streamPrefix: 'run-7.',
      rateLimit: { perSecond: 5, burst: 10 },
      maxConnections: 50,
      logLevel: 'debug',
      publicUrl: 'https://pay.example/base',
    });
    expect(configuration.eventStoreUrl?.reveal()).toBe('esdb+discover://ops:kG7vRz0qXw4n@a:2113,b:2113?tls=true');
    expect(configuration.redisUrl?.reveal()).toBe('rediss://:kG7vRz0qXw4n@cache:6380/1');
    expect(configuration.gateway?.url).toBe('https://gateway.example/v1');
    expect(configuration.gateway?.secret.reveal()).toBe(PRODUCTION.GATEWAY_SECRET);
    expect(configuration.operatorToken?.reveal()).toBe(PRODUCTION.OPERATOR_TOKEN);
    expect(configuration.masterKey?.reveal()).toEqual(new Uint8Array(Buffer.from(KEY, 'base64')));
    expect(configuration.previousMasterKey?.reveal()).toEqual(new Uint8Array(Buffer.from(OTHER_KEY, 'base64')));
  });

  it('is frozen all through', () => {
    const configuration = loadConfiguration(PRODUCTION);
    for (const part of [
      configuration,
      configuration.gateway,
      configuration.rateLimit,
      configuration.webhookAllowedCidrs,
      configuration.trustedProxies,
      configuration.warnings,
    ]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(Object.isFrozen(loadConfiguration({ WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8' }).webhookAllowedCidrs)).toBe(true);
  });

  it('reports every problem at once, in a message that begins each line with the name', () => {
    const problems = problemsOf({ PORT: 'http', APP_MODE: 'test', MASTER_KEY: 'short' });
    expect(Object.keys(problems).sort()).toEqual(['APP_MODE', 'MASTER_KEY', 'PORT']);
    expect(() => loadConfiguration({ PORT: 'http', LOG_LEVEL: 'loud' })).toThrow(
      /\n {2}PORT: must .*\n {2}LOG_LEVEL: must /s,
    );
  });

  it('never shows a value, neither in an error nor when a configuration is printed', () => {
    const wrong = {
      MASTER_KEY: 'p4ssw0rd-1',
      OPERATOR_TOKEN: 'p4ssw0rd-2 ',
      REDIS_URL: 'p4ssw0rd-3',
      GATEWAY_URL: 'p4ssw0rd-4',
    };
    expect(JSON.stringify(problemsOf(wrong))).not.toContain('p4ssw0rd');
    const configuration = loadConfiguration({ ...PRODUCTION, REDIS_URL: 'rediss://:hidden-kG7vRz0qXw4n@cache' });
    const printed = [
      inspect(configuration, { depth: 9 }),
      JSON.stringify(configuration),
      String(configuration.masterKey),
    ].join();
    for (const value of [PRODUCTION.OPERATOR_TOKEN, PRODUCTION.GATEWAY_SECRET, KEY, 'hidden']) {
      expect(printed).not.toContain(value);
    }
    expect(printed).toContain('[secret]');
  });

  it.each([
    ['HOST', ['no host', 'a_b', '-a', '300.0.0.1', 'http://a'], ['localhost', '0.0.0.0', '::', 'api.example']],
    ['PORT', ['-1', '65536', '1.5', '0x50', '080', ' 80', '1e3'], ['0', '1', '65535']],
    ['RATE_LIMIT', ['0:1', '1:0', '200', '1.5:3', '-1:2', '1000001:1', 'OFF'], ['off', '1:1', '1000000:1000000']],
    ['LOG_LEVEL', ['INFO', 'verbose'], ['silent', 'trace']],
    ['APP_MODE', ['prod', 'Development'], ['development']],
    ['EVENTSTORE_URL', ['http://a', 'esdb:a', 'esdb://', 'esdb://a b'], ['esdb://localhost:2113?tls=false']],
    ['REDIS_URL', ['http://a', 'redis://'], ['redis://localhost:6379/0']],
    ['STREAM_PREFIX', ['$all', 'a b', '-a', 'x'.repeat(65)], ['a', 'run-1_2.3:']],
    ['PUBLIC_URL', ['ftp://a', 'http:a', 'http://', 'http://u:p@a', 'http://a/?b', 'http://a/#b'], ['http://[::1]:1']],
    ['MASTER_KEY', [`${KEY}=`, ` ${KEY}`, KEY.slice(0, -1), KEY.replaceAll('X', '-'), 'A'.repeat(42) + 'B='], [KEY]],
    ['OPERATOR_TOKEN', ['a b', 'ä', 'x'.repeat(513)], ['x']],
    [
      'WEBHOOK_ALLOWED_CIDRS',
      ['10.0.0.0/33', '10.0.0/8', '::1/129', 'a/8', '10.0.0.0/08', '1.2.3.4/8/9', 'fe80::1%lo/64', ',', '1.1.1.1,'],
      ['', '::/0', '10.0.0.0/8'],
    ],
    ['TRUSTED_PROXIES', ['0.0.0.0/0', '::/0', '10.0.0.0/8,2000::/3', 'proxy'], ['10.0.0.0/8', 'fc00::/7', '1.2.3.4']],
  ])('validates %s', (name, wrong, right) => {
    for (const value of wrong) expect([value, Object.keys(problemsOf({ [name]: value }))]).toEqual([value, [name]]);
    for (const value of right) expect([value, problemsOf({ [name]: value })]).toEqual([value, {}]);
  });

  it('names the address ranges that are wrong by their place', () => {
    expect(problemsOf({ WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8,x,::1/128,y' })['WEBHOOK_ALLOWED_CIDRS']).toContain(
      'number 2, 4',
    );
  });

  it('allows webhooks to no private address when the variable is set but empty', () => {
    expect(loadConfiguration({ WEBHOOK_ALLOWED_CIDRS: '' }).webhookAllowedCidrs).toEqual([]);
  });

  it.each(['127.0.0.1/8', '10.0.0.0/8,10.1.0.0/8', 'fd00::1/8', '0.0.0.1/0'])(
    'refuses %s, which sets bits behind the prefix length, by the name of the variable',
    (WEBHOOK_ALLOWED_CIDRS) => {
      const { WEBHOOK_ALLOWED_CIDRS: problem } = problemsOf({ WEBHOOK_ALLOWED_CIDRS });
      const number = WEBHOOK_ALLOWED_CIDRS.split(',').length;
      expect(problem).toMatch(new RegExp(`no bit set behind the prefix length \\(wrong: number ${number}\\)$`));
    },
  );

  it('refuses a previous master key that is the master key', () => {
    expect(problemsOf({ MASTER_KEY: KEY, MASTER_KEY_PREVIOUS: KEY })).toEqual({
      MASTER_KEY_PREVIOUS: 'must differ from MASTER_KEY',
    });
  });

  it('wants both stores to be reached over the network where several processes share them', () => {
    const problem = 'is required where each role is a process of its own: they share their stores';
    expect(problemsOf({ ROLES: 'api' })).toEqual({ EVENTSTORE_URL: problem, REDIS_URL: problem });
    expect(problemsOf({ ROLES: 'api', EVENTSTORE_URL: 'esdb://a', REDIS_URL: 'redis://a' })).toEqual({});
  });

  it('divides read models where that is asked for and processes share them, and only there', () => {
    const partitions = (given: Record<string, string>) => loadConfiguration(given).projectionPartitions;
    expect(partitions({ REDIS_URL: 'redis://a' })).toBe(1);
    expect(partitions({ REDIS_URL: 'redis://a', PROJECTION_PARTITIONS: '64' })).toBe(64);
    expect(partitions({ PROJECTION_PARTITIONS: '1' })).toBe(1);
    expect(problemsOf({ PROJECTION_PARTITIONS: '2' })).toEqual({
      PROJECTION_PARTITIONS: 'must be 1 where REDIS_URL is not set',
    });
    for (const wrong of ['0', '65', '1.5', '-1', 'many']) {
      expect(problemsOf({ REDIS_URL: 'redis://a', PROJECTION_PARTITIONS: wrong })).toEqual({
        PROJECTION_PARTITIONS: 'must be a whole number from 1 to 64',
      });
    }
  });

  it('wants a gateway URL and its secret together', () => {
    expect(problemsOf({ GATEWAY_SECRET: 's' })).toEqual({ GATEWAY_URL: 'is required with GATEWAY_SECRET' });
    expect(problemsOf({ GATEWAY_URL: 'http://a' })).toEqual({ GATEWAY_SECRET: 'is required with GATEWAY_URL' });
  });

  describe('in production mode', () => {
    it('has to be told the gateway and the secrets', () => {
      const required = ['GATEWAY_SECRET', 'GATEWAY_URL', 'MASTER_KEY', 'OPERATOR_TOKEN'];
      expect(Object.keys(problemsOf({ APP_MODE: 'production' })).sort()).toEqual(required);
    });

    it('wants an operator token that cannot be guessed', () => {
      expect(Object.keys(problemsOf({ ...PRODUCTION, OPERATOR_TOKEN: 'x'.repeat(15) }))).toEqual(['OPERATOR_TOKEN']);
    });

    it('wants a gateway secret that cannot be guessed', () => {
      expect(Object.keys(problemsOf({ ...PRODUCTION, GATEWAY_SECRET: 'x'.repeat(31) }))).toEqual(['GATEWAY_SECRET']);
    });

    it.each([
      ['http://gateway.example', ['GATEWAY_URL']],
      ['http://127.0.0.1.example', ['GATEWAY_URL']],
      ['http://10.0.0.7:3100', ['GATEWAY_URL']],
      ['http://127.0.0.1:3100', []],
      ['http://localhost:3100', []],
      ['http://[::1]:3100', []],
      ['https://gateway.example', []],
    ])('sends no card in the clear: %s', (url, problems) => {
      expect(Object.keys(problemsOf({ ...PRODUCTION, GATEWAY_URL: url }))).toEqual(problems);
    });

    it('lets webhooks reach no private address by default', () => {
      expect(loadConfiguration(PRODUCTION).webhookAllowedCidrs).toEqual([]);
    });
  });
});

describe('publicUrlAt', () => {
  it.each(['3000', '0'])('can be opened on this machine where all addresses are listened on, at port %s', (PORT) => {
    expect(publicUrlAt(loadConfiguration({ PORT, HOST: '0.0.0.0' }), 3000)).toBe('http://127.0.0.1:3000');
    expect(publicUrlAt(loadConfiguration({ PORT, HOST: '::' }), 3000)).toBe('http://[::1]:3000');
  });

  it('follows the port that the system gave when none was named', () => {
    expect(publicUrlAt(loadConfiguration({ PORT: '0' }), 40_123)).toBe('http://127.0.0.1:40123');
    expect(publicUrlAt(loadConfiguration({ PORT: '0', HOST: '::1' }), 40_123)).toBe('http://[::1]:40123');
    expect(publicUrlAt(loadConfiguration({ PORT: '0', PUBLIC_URL: 'https://pay.example' }), 40_123)).toBe(
      'https://pay.example',
    );
  });
});

describe('configurationSummary', () => {
  it('shows secrets as set or not set only', () => {
    const configuration = loadConfiguration({ ...PRODUCTION, REDIS_URL: 'rediss://:hidden-kG7vRz0qXw4n@cache' });
    const summary = configurationSummary(configuration);
    expect(summary).toEqual([
      'APP_MODE=production',
      'ROLES=api,projector,processor,webhooks',
      'HOST=127.0.0.1',
      'PORT=3000',
      'PUBLIC_URL=http://127.0.0.1:3000',
      `DATA_DIR=${process.cwd()}/data`,
      'EVENTSTORE_URL=not set (embedded log)',
      'REDIS_URL=set',
      'PROJECTION_PARTITIONS=1',
      'STREAM_PREFIX=not set',
      'GATEWAY_URL=https://gateway.example/v1',
      'GATEWAY_SECRET=set',
      'OPERATOR_TOKEN=set',
      'MASTER_KEY=set',
      'MASTER_KEY_PREVIOUS=not set',
      'WEBHOOK_ALLOWED_CIDRS=none',
      'TRUSTED_PROXIES=none',
      'RATE_LIMIT=200:400',
      'MAX_CONNECTIONS=2000',
      'LOG_LEVEL=info',
    ]);
  });

  it('tells what stands in for what is not set', () => {
    const summary = configurationSummary(loadConfiguration({ PORT: '0', RATE_LIMIT: 'off' })).join('\n');
    expect(summary).toContain('PORT=0 (any free port)');
    expect(summary).toContain('MASTER_KEY=not set (kept in DATA_DIR)');
    expect(summary).toContain('RATE_LIMIT=off');
  });
});

describe('Secret', () => {
  it('shows its value to nobody who does not ask', () => {
    const secret = new Secret('hidden');
    expect([String(secret), JSON.stringify({ secret }), inspect({ secret })].join()).not.toContain('hidden');
    expect(secret.reveal()).toBe('hidden');
  });
});
