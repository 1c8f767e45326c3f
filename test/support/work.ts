import type { SeededRandom } from '@app/runtime/testing';
import type { Deployment } from './deployment';
import { problemsOfLog, readLog } from './event-log';
import { Load } from './load';
import { MerchantClient } from './merchant-client';
import { problemsOf, problemsOfWebhooks, statusesOf, untilSettled, untilTold } from './outcome';
import { WebhookReceiver } from './webhook-receiver';

/** Merchants at work on the first API of a deployment, with webhooks of which some fail at first. */
export class RoleLoad {
  private constructor(
    readonly roles: Deployment,
    readonly receiver: WebhookReceiver,
    readonly load: Load,
    readonly client: MerchantClient,
  ) {}

  static async start(roles: Deployment, random: SeededRandom): Promise<RoleLoad> {
    const seen = new Set<string>();
    const receiver = await WebhookReceiver.start(({ headers }) => {
      const webhookId = String(headers['x-webhook-id']);
      const isFirst = !seen.has(webhookId);
      seen.add(webhookId);
      return isFirst && /[08]$/.test(webhookId) ? 500 : 204;
    });
    const client = new MerchantClient(roles.of('api')[0]!.url, roles.credentials);
    const cards = {
      ...{ completes: 10, declined: 2, challenge: 3, challengeDeclined: 1, captureRefused: 1 },
      ...{ authorizationAnswerLost: 1, captureAnswerLost: 1, refundAnswerLost: 1 },
    };
    const load = new Load({ client, random, notifyUrl: receiver.url, merchants: 6, cards });
    return new RoleLoad(roles, receiver, load, client);
  }

  /** Lets all that was begun come to its end, and gives everything that has not happened exactly once. */
  async problems(): Promise<readonly string[]> {
    const { load, client, receiver, roles } = this;
    await load.finish();
    const ids = load.acknowledged.map(({ created }) => created.paymentId);
    const unknown = (await statusesOf(client, ids)).filter((status) => status === 'NOT_FOUND');
    await untilSettled(client, load.acknowledged, 70_000);
    await untilTold(load, receiver, 60_000);
    return [
      ...unknown.map(() => 'a payment was acknowledged and is not found'),
      ...(await problemsOf(load, client, roles.dataDir)),
      ...problemsOfWebhooks(load, receiver),
      ...problemsOfLog(await readLog(roles.dataDir)),
      ...roles.errors,
    ];
  }

  async end(): Promise<void> {
    this.load.abandon();
    await this.roles.end();
    await this.receiver.stop();
  }
}
