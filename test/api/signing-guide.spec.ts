import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { block, Guide, type Language } from '../support/guide';
import { useLedger } from '../support/ledger';
import { signatureOf } from '../support/signing';

/*
 * The guide's programs are run: as they stand against something that only notes what it is sent, and with a real merchant's
 * credentials against the service.
 */

const ledger = useLedger();
const LANGUAGES: readonly Language[] = ['sh', 'js', 'python'];
let guide: Guide;

beforeAll(async () => {
  guide = await Guide.of(ledger.service.url);
});
afterAll(() => guide.close());

describe('the guide to signing', () => {
  interface Noted {
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }
  const noted: Noted[] = [];
  let server: Server;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        noted.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
        response.writeHead(201, { 'Content-Type': 'application/json' }).end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it.each(LANGUAGES)('comes to the signature that it prints, in %s', async (language) => {
    const text = guide.chapter('Signing requests');
    const printed = new Map(
      block(text, 'http')
        .split('\n')
        .map((line) => [line.split(': ')[0]!.toLowerCase(), line.split(': ')[1]!] as const),
    );
    noted.length = 0;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await guide.run(language, block(text, language).replace(ledger.service.url, url));
    const [{ headers, body }] = noted as [Noted];
    expect(body).toBe(block(text, 'json'));
    for (const [name, value] of printed) expect([name, headers[name]]).toEqual([name, value]);
    const fields = {
      method: 'POST',
      path: '/api/v2/payments',
      timestamp: printed.get('x-timestamp')!,
      merchantId: printed.get('x-merchant-id')!,
      idempotencyKey: printed.get('idempotency-key')!,
      body,
    };
    const secret = /secret `([^`]+)`/.exec(text)![1]!;
    // Written from the contract alone: the guide and the service can't be wrong together.
    expect(printed.get('x-signature')).toBe(signatureOf(secret, fields));
  });

  it.each(LANGUAGES)('makes a payment with real credentials, in %s', async (language) => {
    const { credentials } = ledger.service;
    const program = block(guide.chapter('Signing requests'), language)
      .replace('mer_demo', credentials.merchantId)
      .replace('cft_example-token', credentials.accessToken)
      .replace('cfs_example-secret', credentials.signingSecret)
      .replace('2030-01-01T00:00:00Z', new Date().toISOString())
      .replace('order-1042-attempt-1', `guide-${language}`);
    const output = await guide.run(language, program);
    expect(output).toContain('201');
    expect(output).toContain('"status":"PROCESSING"');
  });
});
