import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { recordWebhook } from './openapi-conformance';

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly body: {
    readonly eventId: string;
    readonly eventType: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
  readonly path: string;
}

/** A status, a status with headers and possibly a body, or no response as long as the receiver exists. */
export type Reply =
  | number
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body?: string }
  | 'never';

/** A merchant's webhook endpoint on loopback, which responds as told. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** By payment and by refund, because a load's thousands of them are looked up repeatedly. */
  private readonly byId = new Map<unknown, ReceivedWebhook[]>();
  /** Errors of webhooks that differ from the service's OpenAPI document; the first is thrown at the end. */
  private readonly disagreements: unknown[] = [];

  private constructor(private readonly server: Server) {}

  /** @param replyTo the response to a webhook; 204 by default. If it throws, the response is 500. */
  static async start(
    replyTo: (webhook: ReceivedWebhook) => Reply | Promise<Reply> = () => 204,
  ): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8');
        const body = JSON.parse(raw) as ReceivedWebhook['body'];
        const webhook = { headers: request.headers, raw, body, path: request.url ?? '' };
        receiver.keep(webhook);
        receiver.judge(webhook);
        void Promise.resolve(webhook)
          .then(replyTo)
          .catch(() => 500)
          .then((reply) => send(response, reply));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/webhooks`;
  }

  of(id: string): readonly ReceivedWebhook[] {
    return this.byId.get(id) ?? [];
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
    if (this.disagreements.length > 0) throw this.disagreements[0];
  }

  private keep(webhook: ReceivedWebhook): void {
    this.received.push(webhook);
    const { data } = webhook.body;
    for (const id of [data['paymentId'], data['refundId']]) {
      if (id === undefined) continue;
      const about = this.byId.get(id) ?? [];
      about.push(webhook);
      this.byId.set(id, about);
    }
  }

  private judge({ headers, body }: ReceivedWebhook): void {
    try {
      recordWebhook(
        Object.entries(headers).map(([name, value]) => [name, String(value)] as const),
        body,
      );
    } catch (error) {
      this.disagreements.push(error);
    }
  }
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === 'never') return;
  if (typeof reply === 'number') response.writeHead(reply).end();
  else response.writeHead(reply.status, reply.headers).end(reply.body);
}

/** The two signatures that a receiver may check, written from the published contract only. */
export function expectedSignatures(webhookSecret: string, webhook: ReceivedWebhook) {
  const key = Buffer.from(webhookSecret.slice('whsec_'.length), 'base64');
  const signed = [webhook.headers['webhook-id'], webhook.headers['webhook-timestamp'], webhook.raw].join('.');
  return {
    xSignature: `sha256=${createHmac('sha256', webhookSecret).update(webhook.raw).digest('hex')}`,
    webhookSignature: `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  };
}
