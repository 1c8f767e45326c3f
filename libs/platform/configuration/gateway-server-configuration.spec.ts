import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { ConfigurationError } from './configuration-error';
import { gatewayServerSummary, loadGatewayServerConfiguration } from './gateway-server-configuration';

const SECRET = { GATEWAY_SECRET: 'shared-with-the-service' };

describe('the configuration of the gateway server', () => {
  it('needs the secret alone', () => {
    const { secret, ...rest } = loadGatewayServerConfiguration(SECRET);
    expect(secret.reveal()).toBe(SECRET.GATEWAY_SECRET);
    expect(rest).toEqual({
      host: '127.0.0.1',
      port: 3100,
      publicUrl: 'http://127.0.0.1:3100',
      dataDir: resolve('data'),
      callbackUrl: null,
      logLevel: 'info',
    });
  });

  it("leads customers to an address of this machine's where it listens on all", () => {
    const { publicUrl } = loadGatewayServerConfiguration({ ...SECRET, HOST: '0.0.0.0' });
    expect(publicUrl).toBe('http://127.0.0.1:3100');
  });

  it('is of development, whether it says so or not', () => {
    const named = loadGatewayServerConfiguration({ ...SECRET, APP_MODE: 'development' });
    expect(gatewayServerSummary(named)).toEqual(gatewayServerSummary(loadGatewayServerConfiguration(SECRET)));
  });

  it('shows no secret', () => {
    const environment = {
      ...SECRET,
      GATEWAY_PORT: '0',
      GATEWAY_CALLBACK_URL: 'http://127.0.0.1:3000/gateway/v1/callbacks',
    };
    const configuration = loadGatewayServerConfiguration(environment);
    const summary = gatewayServerSummary(configuration);
    expect(summary).toContain('GATEWAY_CALLBACK_URL=http://127.0.0.1:3000/gateway/v1/callbacks');
    expect(summary).toContain('PUBLIC_URL=not set (follows the port)');
    expect([...summary, inspect(configuration)].join()).not.toContain(SECRET.GATEWAY_SECRET);
  });

  it.each([
    [{}, ['GATEWAY_SECRET']],
    [{ GATEWAY_SECRET: '' }, ['GATEWAY_SECRET']],
    [{ ...SECRET, APP_MODE: 'live' }, ['APP_MODE']],
    [{ GATEWAY_SECRET: 's'.repeat(32), APP_MODE: 'production' }, ['APP_MODE']],
    [{ GATEWAY_SECRET: 's'.repeat(31), APP_MODE: 'production' }, ['GATEWAY_SECRET', 'APP_MODE']],
    [{ ...SECRET, GATEWAY_PORT: 'x', GATEWAY_CALLBACK_URL: 'ftp://a' }, ['GATEWAY_PORT', 'GATEWAY_CALLBACK_URL']],
  ])('refuses %j by the names of the variables', (environment, variables) => {
    let problems: readonly { readonly variable: string }[] = [];
    try {
      loadGatewayServerConfiguration(environment);
    } catch (error) {
      if (error instanceof ConfigurationError) problems = error.problems;
    }
    expect(problems.map((problem) => problem.variable)).toEqual(variables);
  });
});
