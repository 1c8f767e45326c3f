import { resolve } from 'node:path';
import { ConfigurationError } from './configuration-error';
import { eventStoreServerSummary, loadEventStoreServerConfiguration } from './event-store-server-configuration';

const TLS = { EVENTSTORE_TLS_CERT: 'node.crt', EVENTSTORE_TLS_KEY: 'node.key' };

describe('the configuration of the event store server', () => {
  it('is loopback in the clear by default', () => {
    expect(loadEventStoreServerConfiguration({})).toEqual({
      host: '127.0.0.1',
      eventStorePort: 2113,
      port: 2114,
      dataDir: resolve('data'),
      logLevel: 'info',
      maxAppendBytes: 1_048_576,
      tls: null,
      credentials: null,
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
});
