import { createServer } from 'node:net';
import { ConfigurationError } from '@app/platform/configuration';
import { startFailure } from './start-failure';

/** The error with which listening fails. */
function listening(port: number, host: string): Promise<unknown> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', resolve).once('listening', () => server.close(() => reject(new Error('it listens'))));
    server.listen(port, host);
  });
}

describe('startFailure', () => {
  it('names HOST where it is no address of this machine', async () => {
    // An address reserved for documentation, which no machine has.
    expect(startFailure(await listening(0, '192.0.2.1'))).toMatch(/^HOST: 192\.0\.2\.1 is no address of this machine/);
  });

  it('names HOST where it is a name of nothing', () => {
    const error = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND', hostname: 'nowhere.invalid' });
    expect(startFailure(error)).toMatch(/^HOST: nowhere\.invalid can't be resolved/);
  });

  it('names PORT where it is in use', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
    const failure = startFailure(await listening(port, '127.0.0.1'));
    await new Promise((closed) => server.close(closed));
    expect(failure).toBe(`PORT: ${port} is in use by another program; choose another one`);
  });

  it('names DATA_DIR where it can not be written', () => {
    const error = Object.assign(new Error('open'), { code: 'EROFS', path: '/data/lock.sqlite' });
    expect(startFailure(error)).toBe("DATA_DIR: /data/lock.sqlite can't be written (EROFS)");
  });

  it('says what is wrong with the configuration, and of a bug where it is', () => {
    const wrong = new ConfigurationError([{ variable: 'PORT', problem: 'must be a port' }]);
    expect(startFailure(wrong)).toBe('The configuration cannot be used:\n  PORT: must be a port');
    expect(startFailure(new Error('a bug'))).toContain('start-failure.spec');
  });
});
