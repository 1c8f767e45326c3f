import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { block, Guide } from '../support/guide';
import { useLedger } from '../support/ledger';
import { createCompleted } from '../support/payments';
import { eventually } from '../support/service';
import { type ReceivedWebhook, WebhookReceiver } from '../support/webhook-receiver';

/* The guide's programs judge a webhook that the service sent, and others that were made of it. */

const ledger = useLedger();
const folder = mkdtempSync(join(tmpdir(), 'counterfoil-webhook-'));
const BODY_FILE = join(folder, 'body.json');
const SECRET = () => ledger.client.credentials.webhookSecret;
let guide: Guide;
let receiver: WebhookReceiver;
let sent: ReceivedWebhook;

beforeAll(async () => {
  guide = await Guide.of(ledger.service.url);
  receiver = await WebhookReceiver.start();
  const { paymentId } = await createCompleted(ledger.client, { notifyUrl: receiver.url });
  sent = await eventually('the webhook', async () =>
    receiver.received.find(({ body }) => body.data['paymentId'] === paymentId),
  );
});
afterAll(async () => {
  guide.close();
  rmSync(folder, { recursive: true, force: true });
  await receiver.stop();
});

/** Written from the standard alone: the guide and the service can't be wrong together. */
function standardSignature(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

interface Case {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
}

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-signature'] as const;

function asSent(): Case {
  const headers = Object.fromEntries(HEADERS.map((name) => [name, String(sent.headers[name])]));
  return { body: sent.raw, headers, secret: SECRET() };
}

/** Rightly signed, but at another time. */
function signedAt(seconds: number): Case {
  const { body, headers, secret } = asSent();
  const timestamp = String(Math.floor(Date.now() / 1000) + seconds);
  const signature = standardSignature(secret, headers['webhook-id']!, timestamp, body);
  return { body, secret, headers: { ...headers, 'webhook-timestamp': timestamp, 'webhook-signature': signature } };
}

function changed(change: Readonly<Record<string, string>>): Case {
  return { ...asSent(), headers: { ...asSent().headers, ...change } };
}

const signature = () => asSent().headers['webhook-signature']!;
const ANOTHER = `v1,${Buffer.alloc(32).toString('base64')}`;

/** What a program has to say of each. */
const CASES: readonly (readonly [name: string, make: () => Case, isGenuine: boolean])[] = [
  ['as it was sent', asSent, true],
  ['with a second signature', () => changed({ 'webhook-signature': `${ANOTHER} ${signature()}` }), true],
  ['with another body', () => ({ ...asSent(), body: `${sent.raw} ` }), false],
  ['with another secret', () => ({ ...asSent(), secret: 'whsec_AAAA' }), false],
  ['with another id', () => changed({ 'webhook-id': 'whd_other' }), false],
  ['with a signature cut short', () => changed({ 'webhook-signature': signature().slice(0, -1) }), false],
];

/** Those that a person sees at once, and a program has to. */
const HARDER: typeof CASES = [
  ['sent four minutes ago', () => signedAt(-240), true],
  ['sent six minutes ago', () => signedAt(-360), false],
  ['from six minutes ahead', () => signedAt(360), false],
  ['with a time that is no number', () => changed({ 'webhook-timestamp': 'now' }), false],
  ['with a signature as long in other letters', () => changed({ 'webhook-signature': 'é'.repeat(47) }), false],
  ['without any header', () => ({ ...asSent(), headers: {} }), false],
];

/** Calls the guide's function with what is in the environment. */
const CALLS = {
  js: `
import { readFileSync } from 'node:fs';
const { BODY_FILE, HEADERS, SECRET } = process.env;
console.log(isGenuine(readFileSync(BODY_FILE), JSON.parse(HEADERS), SECRET));`,
  python: `
import json, os
env = os.environ
print(json.dumps(is_genuine(open(env['BODY_FILE'], 'rb').read(), json.loads(env['HEADERS']), env['SECRET'])))`,
  php: `
$server = [];
foreach (json_decode(getenv('HEADERS'), true) as $name => $value) {
    $server['HTTP_' . strtoupper(str_replace('-', '_', $name))] = $value;
}
echo json_encode(is_genuine(file_get_contents(getenv('BODY_FILE')), $server, getenv('SECRET')));`,
} as const;

async function judged(
  language: keyof typeof CALLS,
  program: string,
  { body, headers, secret }: Case,
): Promise<unknown> {
  writeFileSync(BODY_FILE, body);
  const environment = { BODY_FILE, HEADERS: JSON.stringify(headers), SECRET: secret };
  return JSON.parse(await guide.run(language, program + CALLS[language], environment));
}

describe.each(Object.keys(CALLS) as (keyof typeof CALLS)[])('the guide to verifying webhooks in %s', (language) => {
  it.each([...CASES, ...HARDER])('judges one %s', async (_name, make, isGenuine) => {
    expect(await judged(language, block(guide.chapter('Verifying webhooks'), language), make())).toBe(isGenuine);
  });
});

describe('the guide to verifying webhooks by hand', () => {
  it.each(CASES)('judges one %s', async (_name, make, isGenuine) => {
    const { body, headers, secret } = make();
    writeFileSync(BODY_FILE, body);
    const program = block(guide.chapter('Verifying webhooks'), 'sh')
      .replace('whsec_…', secret)
      .replace("ID='…'", `ID='${headers['webhook-id']}'`)
      .replace("TIMESTAMP='…'", `TIMESTAMP='${headers['webhook-timestamp']}'`)
      .replace("SIGNATURES='…'", `SIGNATURES='${headers['webhook-signature']}'`)
      .replace('body.json', BODY_FILE);
    expect((await guide.run('sh', program)).split(',')[0]!.trim()).toBe(isGenuine ? 'genuine' : 'not genuine');
  });
});

describe('the guide to the simple signature', () => {
  it.each<readonly [string, () => Case, boolean]>([
    ['as it was sent', asSent, true],
    ['with another body', () => ({ ...asSent(), body: `${sent.raw} ` }), false],
    ['with a signature as long in other letters', () => changed({ 'x-signature': 'é'.repeat(71) }), false],
    ['without any header', () => ({ ...asSent(), headers: {} }), false],
  ])('judges one %s', async (_name, make, isGenuine) => {
    const program = block(guide.chapter('Verifying webhooks').split('### The simple signature')[1]!, 'js');
    const named = program.replace('hasRightSignature', 'isGenuine');
    expect(await judged('js', named, make())).toBe(isGenuine);
  });
});

describe('the guide to trying a receiver', () => {
  it('sends a webhook that has both signatures', async () => {
    const before = receiver.received.length;
    const program = block(guide.chapter('Verifying webhooks').split('### Try your receiver')[1]!, 'sh')
      .replace('whsec_…', SECRET())
      .replace('http://127.0.0.1:8080/webhooks', receiver.url);
    expect(await guide.run('sh', program)).toContain('204');
    const { headers, raw } = receiver.received[before]!;
    const [id, timestamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
    expect(headers['webhook-signature']).toBe(standardSignature(SECRET(), id, timestamp, raw));
    expect(headers['x-signature']).toBe(`sha256=${createHmac('sha256', SECRET()).update(raw).digest('hex')}`);
  });
});
