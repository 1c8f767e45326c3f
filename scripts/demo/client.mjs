// A merchant's API client, written from the published rules only: it shares no code with the service.
import { createHash, createHmac, randomUUID } from 'node:crypto';

import { DemoFailure, PATIENCE_MS } from './checks.mjs';

export class Client {
  /** @param credentials the contents of DATA_DIR/sandbox.json */
  constructor(baseUrl, credentials) {
    this.baseUrl = baseUrl;
    this.credentials = credentials;
  }

  /** Reads with the access token; `path` is absolute. */
  get(path) {
    return this.#send('GET', path, { Accept: 'application/json', ...this.#identity() });
  }

  /** @param idempotencyKey for requests that create something; they are signed as well. */
  post(path, json, idempotencyKey) {
    const body = JSON.stringify(json);
    const headers = { 'Content-Type': 'application/json', ...this.#identity() };
    if (idempotencyKey !== undefined) {
      headers['Idempotency-Key'] = idempotencyKey;
      headers['X-Timestamp'] = new Date().toISOString();
      headers['X-Signature'] = this.#sign('POST', path, headers, body);
    }
    return this.#send('POST', path, headers, body);
  }

  #identity() {
    const { accessToken, merchantId } = this.credentials;
    return { Authorization: `Bearer ${accessToken}`, 'X-Merchant-ID': merchantId, 'X-Request-ID': randomUUID() };
  }

  #sign(method, path, headers, body) {
    const bodyHash = createHash('sha256').update(body).digest('hex');
    const { 'X-Timestamp': time, 'X-Merchant-ID': merchant, 'Idempotency-Key': key } = headers;
    const lines = [method, path, time, merchant, key, bodyHash].join('\n');
    return `sha256=${createHmac('sha256', this.credentials.signingSecret).update(lines).digest('hex')}`;
  }

  async #send(method, path, headers, body) {
    const response = await request(`${this.baseUrl}${path}`, { method, headers, body });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    if (!isJson) throw new DemoFailure(`${method} ${path} answered ${response.status} without JSON.`);
    if (response.headers.get('x-request-id') !== headers['X-Request-ID']) {
      throw new DemoFailure(`${method} ${path} did not echo X-Request-ID.`);
    }
    return { status: response.status, headers: response.headers, json: JSON.parse(text), sent: headers };
  }
}

/** A request with a time-out whose errors name the request. Redirects are returned like any other response. */
export async function request(url, options = {}) {
  try {
    return await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS), ...options });
  } catch (error) {
    const why = error.cause?.code ?? error.cause?.message ?? error.message;
    throw new DemoFailure(`${options.method ?? 'GET'} ${url} was not answered: ${why}`, { cause: error });
  }
}
