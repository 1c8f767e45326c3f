import type { TLSSocket } from 'node:tls';
import { AllowedCidrs } from './cidr';
import { WebhookHttpClient } from './http-client';
import { ManualClock } from '@app/webhooks/testing/manual-clock';
import type { Receiver } from '@app/webhooks/testing/receiver';
import { startReceiver } from '@app/webhooks/testing/receiver';
import type { SelfSigned } from '@app/webhooks/testing/self-signed';
import { selfSigned } from '@app/webhooks/testing/self-signed';

let server: Receiver | undefined;
let serverName: string | false | null | undefined;

afterEach(async () => {
  await server?.close();
});

async function deliverTo(host: string, tls: SelfSigned | undefined, ca?: string) {
  server = await startReceiver(
    (request, response) => {
      serverName = (request.socket as TLSSocket & { servername?: string | false }).servername;
      response.end();
    },
    tls === undefined ? {} : { tls },
  );
  const client = new WebhookHttpClient({
    clock: new ManualClock(Date.UTC(2026, 0, 15)),
    allowed: AllowedCidrs.loopback,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    ...(ca === undefined ? {} : { ca }),
  });
  return client.deliver({ url: `https://${host}:${server.port}/`, headers: {}, body: '{}' });
}

describe('TLS', () => {
  const named = selfSigned({ dns: 'receiver.example' });

  it("uses the URL's name for SNI, the certificate and Host, whatever address is dialled", async () => {
    expect(await deliverTo('receiver.example', named, named.cert)).toMatchObject({ kind: 'response', status: 200 });
    expect(serverName).toBe('receiver.example');
    expect(server?.requests[0]?.headers.host).toBe(`receiver.example:${server?.port}`);
  });

  it('takes a name with a trailing dot for the same name', async () => {
    expect(await deliverTo('receiver.example.', named, named.cert)).toMatchObject({ kind: 'response', status: 200 });
    expect(serverName).toBe('receiver.example');
  });

  it('checks the address when the URL holds one', async () => {
    const addressed = selfSigned({ ipv4: '127.0.0.1' });
    expect(await deliverTo('127.0.0.1', addressed, addressed.cert)).toMatchObject({ kind: 'response', status: 200 });
  });

  it.each([
    ['an unknown authority', 'receiver.example', named, undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['another name', 'other.example', named, named.cert, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['a name for an address', '127.0.0.1', named, named.cert, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('fails for %s', async (_what, host, tls, ca, cause) => {
    const expected = { kind: 'failed', stage: 'tls', code: 'TLS_CERTIFICATE_INVALID', cause };
    expect(await deliverTo(host, tls, ca)).toMatchObject(expected);
    expect(server?.requests).toHaveLength(0);
  });

  it('fails for a certificate that has expired', async () => {
    const expired = selfSigned({ dns: 'receiver.example' }, { from: '20200101000000Z', to: '20210101000000Z' });
    const attempt = await deliverTo('receiver.example', expired, expired.cert);
    expect(attempt).toMatchObject({ kind: 'failed', stage: 'tls', code: 'TLS_CERTIFICATE_INVALID' });
  });

  it('fails for a receiver that speaks no TLS', async () => {
    expect(await deliverTo('receiver.example', undefined)).toMatchObject({
      kind: 'failed',
      stage: 'tls',
      code: 'TLS_FAILED',
    });
  });

  it('cannot be talked out of it by the environment', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    const silent = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await deliverTo('receiver.example', named)).toMatchObject({ kind: 'failed', stage: 'tls' });
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
      silent.mockRestore();
    }
  });
});
