import { resolve } from 'node:path';
import { ConfigurationError, type ConfigurationProblem } from './configuration-error';
import { eventStoreServerSummary, loadEventStoreServerConfiguration } from './event-store-server-configuration';

const TLS = { EVENTSTORE_TLS_CERT: 'node.crt', EVENTSTORE_TLS_KEY: 'node.key' };

describe('the configuration of the event store server', () => {
  it('is loopback in the clear by default', () => {
    expect(loadEventStoreServerConfiguration({})).toEqual({
      mode: 'development',
      host: '127.0.0.1',
      eventStorePort: 2113,
      port: 2114,
      dataDir: resolve('data'),
      logLevel: 'info',
      maxAppendBytes: 1_048_576,
      tls: null,
      credentials: null,
      warnings: [],
    });
  });

  it('takes TLS with credentials, and shows no secret', () => {
    const configuration = loadEventStoreServerConfiguration({ ...TLS, EVENTSTORE_CREDENTIALS: 'admin:change:it' });
    expect(configuration.credentials?.reveal()).toEqual({ username: 'admin', password: 'change:it' });
    expect(configuration.tls?.certificateFile).toBe(resolve('node.crt'));
    expect(eventStoreServerSummary(configuration).join('\n')).not.toContain('change:it');
  });

  it.each([
    [{ EVENTSTORE_PORT: 'x' }, 'EVENTSTORE_PORT'],
    [{ PORT: '2113' }, 'PORT'],
    [{ EVENTSTORE_MAX_APPEND_SIZE: '16000001' }, 'EVENTSTORE_MAX_APPEND_SIZE'],
    [{ EVENTSTORE_TLS_CERT: 'node.crt' }, 'EVENTSTORE_TLS_KEY'],
    [{ EVENTSTORE_TLS_KEY: 'node.key' }, 'EVENTSTORE_TLS_CERT'],
    [{ EVENTSTORE_CREDENTIALS: 'admin:changeit' }, 'EVENTSTORE_CREDENTIALS'],
    [{ ...TLS, EVENTSTORE_CREDENTIALS: 'admin' }, 'EVENTSTORE_CREDENTIALS'],
  ])('refuses %j by the name of the variable', (environment, variable) => {
    let problems: readonly { readonly variable: string }[] = [];
    try {
      loadEventStoreServerConfiguration(environment);
    } catch (error) {
      if (error instanceof ConfigurationError) problems = error.problems;
    }
    expect(problems.map((problem) => problem.variable)).toEqual([variable]);
  });

  describe('beyond this machine', () => {
    const OPEN = { HOST: '0.0.0.0' };
    const PRODUCTION = { ...OPEN, APP_MODE: 'production' };
    const named = (problems: readonly ConfigurationProblem[]) => problems.map(({ variable }) => variable);

    function refused(environment: Record<string, string>): readonly string[] {
      try {
        loadEventStoreServerConfiguration(environment);
      } catch (error) {
        if (error instanceof ConfigurationError) return named(error.problems);
      }
      return [];
    }

    it.each(['0.0.0.0', '::', '10.0.0.7', 'store.example'])(
      'warns at %s of a log that anybody may write to',
      (HOST) => {
        const { warnings } = loadEventStoreServerConfiguration({ HOST });
        expect(named(warnings)).toEqual(['EVENTSTORE_TLS_CERT', 'EVENTSTORE_CREDENTIALS']);
        expect(refused({ HOST, APP_MODE: 'production' })).toEqual(['EVENTSTORE_TLS_CERT', 'EVENTSTORE_CREDENTIALS']);
      },
    );

    it('has nothing to say with TLS and a password by chance, in both modes', () => {
      const safe = { ...TLS, EVENTSTORE_CREDENTIALS: 'ops:kG7vRz0qXw4n' };
      for (const environment of [OPEN, PRODUCTION]) {
        expect(loadEventStoreServerConfiguration({ ...environment, ...safe }).warnings).toEqual([]);
      }
    });

    it('refuses in production a password that everybody knows, and silence', () => {
      const known = { ...TLS, EVENTSTORE_CREDENTIALS: 'admin:changeit' };
      expect(refused({ ...PRODUCTION, ...known, LOG_LEVEL: 'silent' })).toEqual([
        'EVENTSTORE_CREDENTIALS',
        'LOG_LEVEL',
      ]);
    });

    it('takes loopback in the clear for what it is', () => {
      expect(loadEventStoreServerConfiguration({ APP_MODE: 'production', HOST: '::1' }).warnings).toEqual([]);
    });
  });
});
