import { countEvents } from '../support/event-log';
import { registerMerchant, useLedger } from '../support/ledger';
import { createCompleted } from '../support/payments';
import { type RawAnswer, sendRaw } from '../support/raw-http';
import { CREATE, CREATE_BODY, errorOf, inSeconds, RawMerchant } from '../support/raw-merchant';
import { signatureOf } from '../support/signing';

const ledger = useLedger();
const merchant = new RawMerchant(ledger);

let paymentId = '';
let events = 0;
beforeAll(async () => {
  ({ paymentId } = await createCompleted(ledger.client));
  events = await countEvents(ledger.service.dataDir);
});

describe('the access token', () => {
  it('is asked for on every operation, whatever is wrong with it', async () => {
    const wrong: (string | null)[] = [
      null,
      '',
      'Bearer',
      'Bearer ',
      'Basic abc',
      `Token ${merchant.token}`,
      merchant.token,
    ];
    wrong.push(
      'Bearer unknown',
      `Bearer ${merchant.token}x`,
      `Bearer ${merchant.token} x`,
      `Bearer ${merchant.token.slice(0, -1)}`,
    );
    const asks: (() => Promise<RawAnswer>)[] = wrong.map((value) => () => merchant.create({ Authorization: value }));
    const other = ['Authorization', 'Bearer unknown', 'X-Request-ID', 'raw-request'];
    for (const path of [`${CREATE}/${paymentId}`, `${CREATE}/pay_x`, '/api/v2/refunds/ref_x']) {
      asks.push(() => merchant.ask('GET', path, other));
    }
    for (const path of [`${CREATE}/${paymentId}/refunds`, `${CREATE}/batch-query`]) {
      asks.push(() => merchant.ask('POST', path, other));
    }
    asks.push(() => merchant.create({}, { more: ['Authorization', `Bearer ${merchant.token}`] }));
    const answers: RawAnswer[] = [];
    for (const one of asks) answers.push(await one());
    expect(new Set(answers.map(errorOf))).toEqual(new Set(['401 UNAUTHENTICATED']));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers['www-authenticate']))).toEqual(new Set(['Bearer']));
  });

  it("is not the operator's on a merchant's paths, and not a merchant's on the operator's", async () => {
    const operator = ['Authorization', `Bearer ${ledger.service.operatorToken}`];
    expect(errorOf(await merchant.ask('GET', `${CREATE}/${paymentId}`, operator))).toBe('401 UNAUTHENTICATED');
    const merchants = { method: 'POST', path: '/admin/v1/merchants', body: '{"name":"x"}' };
    const type = ['Content-Type', 'application/json'];
    for (const headers of [[...merchant.bearer, ...type], type]) {
      expect(errorOf(await sendRaw(ledger.service.url, { ...merchants, headers }))).toBe('401 UNAUTHENTICATED');
    }
  });

  it('has to be that of the X-Merchant-ID', async () => {
    expect(errorOf(await merchant.create({ 'X-Merchant-ID': 'someone_else' }))).toBe('403 MERCHANT_MISMATCH');
    const foreign = [...merchant.bearer, 'X-Merchant-ID', 'someone_else'];
    expect(errorOf(await merchant.ask('GET', `${CREATE}/${paymentId}`, foreign))).toBe('403 MERCHANT_MISMATCH');
    const missing = await merchant.create({ 'X-Merchant-ID': null });
    expect(errorOf(missing)).toBe('400 VALIDATION_FAILED');
    const { error } = JSON.parse(missing.text) as { error: { details: unknown[] } };
    expect(error.details).toMatchObject([{ field: 'X-Merchant-ID', code: 'REQUIRED' }]);
  });
});

describe('the signature of a create', () => {
  const hex = 'a'.repeat(64);
  it.each([
    ['missing', null],
    ['empty', ''],
    ['without its prefix', hex],
    ['of another algorithm', `sha512=${hex}`],
    ['too short', `sha256=${hex.slice(1)}`],
    ['too long', `sha256=${hex}0`],
    ['wrong', `sha256=${hex}`],
    ['not hexadecimal', `sha256=${'g'.repeat(64)}`],
    ['twice', `sha256=${hex}, sha256=${hex}`],
    ['in base64', 'sha256=qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqo='],
  ])('is refused when it is %s', async (_name, signature) => {
    expect(errorOf(await merchant.create({ 'X-Signature': signature }))).toBe('401 SIGNATURE_INVALID');
  });

  it('covers method, path, time, merchant, key and body', async () => {
    const other = await registerMerchant(ledger.service, 'Other Shop');
    events = await countEvents(ledger.service.dataDir);
    const { merchantId, signingSecret } = ledger.client.credentials;
    const timestamp = new Date().toISOString();
    const right = { method: 'POST', path: CREATE, timestamp, merchantId, idempotencyKey: 'key', body: CREATE_BODY };
    const send = (signature: string) =>
      merchant.create({ 'X-Timestamp': timestamp, 'Idempotency-Key': 'key', 'X-Signature': signature });
    const wrong = [
      { ...right, method: 'PUT' },
      { ...right, path: `${CREATE}?a=b` },
      { ...right, timestamp: inSeconds(1) },
      { ...right, merchantId: 'someone_else' },
      { ...right, idempotencyKey: 'Key' },
      { ...right, body: `${CREATE_BODY} ` },
    ];
    for (const fields of wrong) {
      expect(errorOf(await send(signatureOf(signingSecret, fields)))).toBe('401 SIGNATURE_INVALID');
    }
    const foreign = signatureOf(other.credentials.signingSecret, right);
    expect(errorOf(await send(foreign))).toBe('401 SIGNATURE_INVALID');
    const upper = signatureOf(signingSecret, right).toUpperCase().replace('SHA256', 'sha256');
    expect(errorOf(await send(upper))).toBe('401 SIGNATURE_INVALID');
  });

  it.each([
    ['missing', null],
    ['empty', ''],
    ['malformed', 'yesterday'],
    ['in seconds', '1800000000'],
    ['without a zone', '2030-01-01T00:00:00'],
    ['a day that is not', '2026-02-30T00:00:00Z'],
  ])('needs a timestamp: not one that is %s', async (_name, timestamp) => {
    expect(errorOf(await merchant.create({ 'X-Timestamp': timestamp }))).toBe('401 TIMESTAMP_OUT_OF_RANGE');
  });

  it('needs one that is neither old nor ahead, in UTC', async () => {
    for (const timestamp of [inSeconds(-330), inSeconds(90), inSeconds(0).replace('Z', '+02:00')]) {
      expect(errorOf(await merchant.createAt(timestamp))).toBe('401 TIMESTAMP_OUT_OF_RANGE');
    }
  });

  it('is judged on other operations when it is there', async () => {
    const path = `${CREATE}/${paymentId}`;
    const timestamp = new Date().toISOString();
    const { signingSecret } = ledger.client.credentials;
    const fields = { method: 'GET', path, timestamp, merchantId: '', idempotencyKey: '', body: '' };
    const read = (...headers: string[]) => merchant.ask('GET', path, [...merchant.bearer, ...headers]);
    const right = signatureOf(signingSecret, fields);
    expect((await read('X-Timestamp', timestamp, 'X-Signature', right)).status).toBe(200);
    expect(errorOf(await read('X-Timestamp', timestamp))).toBe('401 SIGNATURE_INVALID');
    expect(errorOf(await read('X-Signature', right))).toBe('401 TIMESTAMP_OUT_OF_RANGE');
    const wrong = signatureOf(signingSecret, { ...fields, path: CREATE });
    expect(errorOf(await read('X-Timestamp', timestamp, 'X-Signature', wrong))).toBe('401 SIGNATURE_INVALID');
  });
});

it('nothing of all this has left an event', async () => {
  expect(await countEvents(ledger.service.dataDir)).toBe(events);
});
