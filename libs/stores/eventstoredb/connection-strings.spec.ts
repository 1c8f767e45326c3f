import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '@app/webhooks/testing/self-signed';
import type { EventStoreDbEventStore } from './event-store';
import { ProtocolServer } from '@app/stores/testing/eventstoredb/protocol-server';
import { expectUnavailable, newEvents, openStore, SHORT_TIMES } from '@app/stores/testing/eventstoredb/stores';

describe('a connection string', () => {
  let directory: string;
  let server: ProtocolServer;
  let store: EventStoreDbEventStore | null = null;
  const open = (connectionString: string) => (store = openStore(connectionString, SHORT_TIMES));

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'connection-strings-'));
  });
  afterEach(async () => {
    await store?.close();
    await server.stop();
    server.removeData();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each(['esdb+discover://HOST?tls=false', 'esdb://HOST,HOST?tls=false&nodePreference=leader'])(
    '%s finds the leader of the cluster',
    async (pattern) => {
      server = await ProtocolServer.start();
      const found = open(pattern.replaceAll('HOST', `127.0.0.1:${server.port}`));
      expect(await found.append('a-1', 'no-stream', newEvents(2))).toMatchObject({ revision: 1 });
      expect(await found.readStream('a-1')).toHaveLength(2);
    },
  );

  it('of a cluster without any node makes every call fail in time', async () => {
    server = await ProtocolServer.start();
    const nobody = open('esdb://127.0.0.1:1,127.0.0.1:1?tls=false');
    await Promise.all([
      expectUnavailable(nobody.append('a-1', 'no-stream', newEvents(1)), 'deadline'),
      expectUnavailable(nobody.head(), 'deadline'),
    ]);
  });

  it('sets TLS and credentials', async () => {
    const { cert, key } = selfSigned({ dns: 'localhost' });
    const authority = join(directory, 'authority.pem');
    writeFileSync(authority, cert);
    const tls = { certificate: Buffer.from(cert), privateKey: Buffer.from(key) };
    const credentials = { username: 'admin', password: 'changeit' };
    server = await ProtocolServer.start({ tls, credentials });
    const at = (who: string) => `esdb://${who}localhost:${server.port}?tls=true&tlsCAFile=${authority}`;
    const allowed = open(at('admin:changeit@'));
    expect(await allowed.append('a-1', 'no-stream', newEvents(1))).toMatchObject({ revision: 0 });
    expect(await allowed.readStream('a-1')).toHaveLength(1);
    await allowed.close();
    const refused = open(at('admin:wrong@'));
    await expectUnavailable(refused.append('a-1', 0, newEvents(1)), 'wrong credentials');
    await expectUnavailable(refused.head(), 'wrong credentials');
  });

  it.each(['esdb', 'esdb+discover'])('%s:// that cannot work produces an error that says why', async (scheme) => {
    const [known, other] = [selfSigned({ dns: 'localhost' }), selfSigned({ dns: 'localhost' })];
    const tls = { certificate: Buffer.from(known.cert), privateKey: Buffer.from(known.key) };
    const authority = join(directory, 'other.pem');
    writeFileSync(authority, other.cert);
    const expectFailing = async (parameters: string, reason: string) => {
      const failing = open(`${scheme}://localhost:${server.port}?${parameters}`);
      await Promise.all([
        expectUnavailable(failing.head(), reason),
        expectUnavailable(failing.append('a-1', 'no-stream', newEvents(1)), reason),
      ]);
      await failing.close();
    };
    server = await ProtocolServer.start({ tls });
    await expectFailing(`tlsCAFile=${authority}`, 'untrusted certificate');
    await expectFailing('tls=false', 'TLS there');
    await server.stop();
    server.removeData();
    server = await ProtocolServer.start();
    await expectFailing(`tlsCAFile=${authority}`, 'no TLS there');
  });
});
