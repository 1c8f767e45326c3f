// A merchant's webhook receiver, which verifies both signatures before it accepts a webhook.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

import { inTime } from './checks.mjs';
import { content, good, news } from './output.mjs';

const TOLERANCE_SECONDS = 300;
const MAX_BODY_BYTES = 64 * 1024;

export class Receiver {
  #server = createServer((request, response) => void this.#receive(request, response));
  #received = new Map();
  #awaited = [];
  #failure = Promise.withResolvers();

  constructor(webhookSecret) {
    this.webhookSecret = webhookSecret;
    // An invalid webhook may arrive while no one is waiting; the next wait reports it.
    this.#failure.promise.catch(() => {});
  }

  async listen() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** The webhook of this type that satisfies `isMeant(data)`, already received or still to come. */
  next(eventType, isMeant) {
    const matches = (webhook) => webhook.eventType === eventType && isMeant(webhook.data);
    const known = [...this.#received.values()].find(matches);
    if (known !== undefined) return Promise.resolve(known);
    const { promise, resolve } = Promise.withResolvers();
    this.#awaited.push({ matches, resolve });
    return inTime(Promise.race([promise, this.#failure.promise]), `the webhook ${eventType} at ${this.url}`);
  }

  async #receive(request, response) {
    try {
      const body = await readBody(request);
      const webhook = verified(this.webhookSecret, request.headers, body);
      response.writeHead(204).end();
      this.#take(request.headers, webhook);
    } catch (error) {
      response.writeHead(400).end();
      this.#failure.reject(error);
    }
  }

  #take(headers, webhook) {
    const attempt = `attempt ${headers['x-webhook-attempt']}`;
    const id = headers['x-webhook-id'];
    news(`webhook ${webhook.eventType}  X-Webhook-ID ${id}, ${attempt}`);
    // Webhooks are delivered at least once: a repeated one is only acknowledged.
    if (this.#received.has(id)) return;
    this.#received.set(id, webhook);
    content(webhook.data);
    good(`both signatures verified: X-Signature and webhook-signature`);
    for (const { matches, resolve } of this.#awaited) if (matches(webhook)) resolve(webhook);
  }
}

async function readBody(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`A webhook was larger than ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The webhook's content, if both signatures are valid. */
export function verified(secret, headers, body) {
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  demand(equal(headers['x-signature'], `sha256=${hex}`), 'X-Signature does not belong to its body');

  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const base64 = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const isOurs = signatures.split(' ').some((signature) => equal(signature, `v1,${base64}`));
  demand(isOurs, 'webhook-signature does not belong to its id, time and body');
  demand(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS, 'webhook-timestamp is not fresh');

  const webhook = JSON.parse(body);
  demand(headers['x-webhook-id'] === id, 'X-Webhook-ID and webhook-id differ');
  demand(headers['x-event-type'] === webhook.eventType, 'X-Event-Type is not the type in its body');
  return webhook;
}

function demand(condition, fault) {
  if (!condition) throw new Error(`A webhook came whose ${fault}.`);
}

function equal(given = '', expected) {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
