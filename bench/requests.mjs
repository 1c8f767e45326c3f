import { createHash, createHmac, createSecretKey, randomUUID } from 'node:crypto';

export const CARD_WITH_3DS = '4000000000003220';
export const ORDINARY_CARD = '4111111111111111';

const PATH = '/api/v2/payments';
/** As many as one batch query may ask for. */
const BATCH = 100;
/** Different batches that are asked for in turn. */
const BATCHES = 100;

/** Makes the bytes of requests: each create has an Idempotency-Key, a time and a signature of its own. */
export class Requests {
  #run = randomUUID();
  #count = 0;

  constructor(credentials) {
    const { accessToken, merchantId, signingSecret } = credentials;
    this.merchantId = merchantId;
    this.signingKey = createSecretKey(Buffer.from(signingSecret));
    this.common = `Host: 127.0.0.1\r\nAuthorization: Bearer ${accessToken}\r\nX-Merchant-ID: ${merchantId}\r\n`;
  }

  /**
   * The status to expect, and a function that makes a request at each call.
   *
   * @param ask {create: {card, notifyUrl?}}, {read: paymentIds}, {batch: paymentIds} or {list: paths}.
   */
  of(ask) {
    if (ask.create !== undefined) return { status: 201, next: this.creates(ask.create) };
    if (ask.read !== undefined) return { status: 200, next: this.reads(ask.read.map((id) => `${PATH}/${id}`)) };
    if (ask.batch !== undefined) return { status: 200, next: this.batches(ask.batch) };
    return { status: 200, next: this.reads(ask.list) };
  }

  /** A function that makes a create with this card at each call. */
  creates({ card, notifyUrl }) {
    const body = JSON.stringify(paymentBody(card, notifyUrl));
    const bodyHash = createHash('sha256').update(body).digest('hex');
    const start = `POST ${PATH} HTTP/1.1\r\n${this.common}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    return () => {
      const key = this.#nextId();
      const time = new Date().toISOString();
      const signed = `POST\n${PATH}\n${time}\n${this.merchantId}\n${key}\n${bodyHash}`;
      const signature = createHmac('sha256', this.signingKey).update(signed).digest('hex');
      return `${start}X-Request-ID: ${key}\r\nIdempotency-Key: ${key}\r\nX-Timestamp: ${time}\r\nX-Signature: sha256=${signature}\r\n\r\n${body}`;
    };
  }

  /** A function that reads these paths in turn. */
  reads(paths) {
    let next = 0;
    return () => {
      next = (next + 1) % paths.length;
      return `GET ${paths[next]} HTTP/1.1\r\n${this.common}Accept: application/json\r\nX-Request-ID: ${this.#nextId()}\r\n\r\n`;
    };
  }

  /** A function that asks for a hundred of these payments at each call, spread over all of them. */
  batches(paymentIds) {
    const count = Math.min(BATCHES, paymentIds.length);
    const requests = Array.from({ length: count }, (_none, batch) => {
      const pick = (_none, index) => paymentIds[(batch + index * count) % paymentIds.length];
      const body = JSON.stringify({ paymentIds: Array.from({ length: BATCH }, pick) });
      const head = `POST ${PATH}/batch-query HTTP/1.1\r\n${this.common}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      return { head, body };
    });
    let next = 0;
    return () => {
      next = (next + 1) % requests.length;
      const { head, body } = requests[next];
      return `${head}X-Request-ID: ${this.#nextId()}\r\n\r\n${body}`;
    };
  }

  #nextId() {
    this.#count += 1;
    return `${this.#run}-${this.#count}`;
  }
}

function paymentBody(number, notifyUrl) {
  const card = {
    number,
    expiryMonth: '12',
    expiryYear: String(new Date().getUTCFullYear() + 3),
    cvv: '123',
    holderName: 'Ada Example',
  };
  const items = [{ sku: 'lamp-7', name: 'Desk lamp', quantity: 2, unitPrice: '50.00' }];
  return {
    amount: { value: '100.00', currency: 'EUR' },
    order: { orderId: 'order-1', description: 'Two lamps', items },
    payer: { payerId: 'payer-1', paymentMethod: { type: 'credit_card', card } },
    returnUrl: 'https://shop.example/return',
    ...(notifyUrl === undefined ? {} : { notifyUrl }),
    riskData: { ipAddress: '192.0.2.1', geoLocation: { country: 'DE', city: 'Berlin' } },
  };
}
