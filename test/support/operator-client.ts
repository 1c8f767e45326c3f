import type { Answer } from './merchant-client';
import { MerchantClient } from './merchant-client';
import { recordAnswer } from './openapi-conformance';
import { bodyOf } from './payments';
import type { SandboxCredentials, Service } from './service';
import { steadyFetch } from './steady-fetch';

/** The operator's client, written from the published contract only. */
export class OperatorClient {
  constructor(
    private readonly service: Pick<Service, 'url' | 'operatorToken'>,
    private readonly token: string = service.operatorToken,
  ) {}

  async send(method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<Answer> {
    const response = await steadyFetch(`${this.service.url}/admin/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.token}`,
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    recordAnswer(method, `/admin/v1${path}`, response.status, response.headers, text);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const parsed = (isJson ? JSON.parse(text) : {}) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, body: parsed, text };
  }

  async register(name: string): Promise<MerchantClient> {
    const credentials = bodyOf<SandboxCredentials>(await this.send('POST', '/merchants', { name }), 201);
    return new MerchantClient(this.service.url, credentials);
  }
}

/** The same merchant's client with other credentials. */
export function clientWith(client: MerchantClient, change: Partial<SandboxCredentials>): MerchantClient {
  return new MerchantClient(client.baseUrl, { ...client.credentials, ...change });
}
