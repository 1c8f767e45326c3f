import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { useLedger } from '../support/ledger';
import { signatureOf } from '../support/signing';

/*
 * The guide's programs are taken out of the served document, as its reader would copy them, and run: as they stand against
 * something that only notes what it is sent, and with a real merchant's credentials against the service.
 */

const ledger = useLedger();

/** How each program is run, by the language of its block; what Debian has to have for it. */
const RUNNERS = {
  sh: { command: 'sh', file: 'example.sh', packages: 'curl and openssl' },
  js: { command: resolve(__dirname, '../../node_modules/.bin/node'), file: 'example.mjs', packages: 'node' },
  python: { command: 'python3', file: 'example.py', packages: 'python3' },
} as const;
type Language = keyof typeof RUNNERS;
const LANGUAGES = Object.keys(RUNNERS) as Language[];

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-guide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function chapter(title: string): Promise<string> {
  const document = (await (await fetch(`${ledger.service.url}/openapi.json`)).json()) as {
    info: { description: string };
  };
  return document.info.description.split(`## ${title}`)[1]!.split('\n## ')[0]!;
}

function block(text: string, language: string): string {
  const found = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\``).exec(text)?.[1];
  if (found === undefined) throw new Error(`The guide has no block of ${language}`);
  return found;
}

async function run(language: Language, program: string): Promise<string> {
  const { command, file, packages } = RUNNERS[language];
  const path = join(folder, file);
  writeFileSync(path, `${program}\n`);
  const { NODE_OPTIONS: _unused, ...env } = process.env;
  const child = spawn(command, [path], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const failed = once(child, 'error').then(([error]) => {
    throw new Error(
      `The guide's example needs ${packages}: apt-get install ${packages.replace(' and ', ' ')} (${String(error)})`,
    );
  });
  const [code] = (await Promise.race([once(child, 'close'), failed])) as [number | null];
  if (code !== 0) throw new Error(`The guide's example ended with ${code}; it needs ${packages}:\n${output}`);
  return output;
}

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
    const text = await chapter('Signing requests');
    const printed = new Map(
      block(text, 'http')
        .split('\n')
        .map((line) => [line.split(': ')[0]!.toLowerCase(), line.split(': ')[1]!] as const),
    );
    noted.length = 0;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await run(language, block(text, language).replace(ledger.service.url, url));
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
    const program = block(await chapter('Signing requests'), language)
      .replace('mer_demo', credentials.merchantId)
      .replace('cft_example-token', credentials.accessToken)
      .replace('cfs_example-secret', credentials.signingSecret)
      .replace('2030-01-01T00:00:00Z', new Date().toISOString())
      .replace('order-1042-attempt-1', `guide-${language}`);
    const output = await run(language, program);
    expect(output).toContain('201');
    expect(output).toContain('"status":"PROCESSING"');
  });
});

describe('the guide to receiving webhooks', () => {
  it('tells our webhooks from others', async () => {
    const check = block(await chapter('Receiving webhooks'), 'js');
    const cases = `
      import { createHmac, timingSafeEqual } from 'node:crypto';
      const sign = (text) => 'sha256=' + createHmac('sha256', 'whsec_AAAA').update(text).digest('hex');
      const judge = (header) => isFromCounterfoil(Buffer.from('{"a":1}'), header, 'whsec_AAAA');
      console.log(JSON.stringify([sign('{"a":1}'), sign('{"a":2}'), 'sha256=', undefined].map((header) => judge(header) === true)));
    `;
    expect(JSON.parse(await run('js', check.replace(/^import .*$/m, '').concat(cases)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
