import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccessDeniedError, EventStoreDBClient } from '@eventstore/db-client';
import { collect, event, SpecServer } from './testing/spec-server';

describe('the ways in', () => {
  let spec: SpecServer;
  const clients: EventStoreDBClient[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.dispose()));
    await spec.stop();
    expect(spec.failures).toEqual([]);
  });

  it('lead over gossip to the one member there is', async () => {
    spec = await SpecServer.start();
    const { port } = spec.server;
    for (const string of [`esdb+discover://127.0.0.1:${port}`, `esdb://127.0.0.1:${port},127.0.0.1:${port}`]) {
      const client = EventStoreDBClient.connectionString(`${string}?tls=false&maxDiscoverAttempts=2`);
      clients.push(client);
      expect(await client.appendToStream('a-1', event())).toMatchObject({ success: true });
    }
  });

  describe('over TLS', () => {
    let directory: string;
    const file = (name: string) => join(directory, name);
    beforeEach(async () => {
      directory = mkdtempSync(join(tmpdir(), 'eventstore-tls-'));
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
      const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file('key')];
      execFileSync('openssl', ['req', '-x509', ...key, '-out', file('crt'), '-days', '2', ...subject], {
        stdio: 'ignore',
      });
      spec = await SpecServer.start({
        tls: { certificate: readFileSync(file('crt')), privateKey: readFileSync(file('key')) },
        credentials: { username: 'admin', password: 'change:it' },
      });
    });
    afterEach(() => rmSync(directory, { recursive: true, force: true }));

    const connect = (credentials: string) => {
      const at = `localhost:${spec.server.port}`;
      const client = EventStoreDBClient.connectionString(
        `esdb://${credentials}${at}?tls=true&tlsCAFile=${file('crt')}`,
      );
      clients.push(client);
      return client;
    };

    it('let those in who have the credentials', async () => {
      const client = connect('admin:change%3Ait@');
      await client.appendToStream('a-1', event());
      expect(await collect(client.readStream('a-1'))).toHaveLength(1);
    });

    it.each(['', 'admin:wrong@', 'somebody:change%3Ait@'])('refuse "%s"', async (credentials) => {
      const client = connect(credentials);
      const override = credentials === '' ? {} : { credentials: { username: 'admin', password: 'wrong' } };
      await expect(client.appendToStream('a-1', event(), override)).rejects.toBeInstanceOf(AccessDeniedError);
      await expect(collect(client.readStream('a-1'))).rejects.toBeInstanceOf(AccessDeniedError);
      await expect(client.tombstoneStream('a-1')).rejects.toBeInstanceOf(AccessDeniedError);
      expect(spec.log.describeStream('a-1').state).toBe('absent');
    });
  });
});
