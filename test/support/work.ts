import { SeededRandom } from '@app/platform/testing';
import { problemsOfLog, readLog } from './event-log';
import { type Card, Load, newSeed } from './load';
import { MerchantClient } from './merchant-client';
import { problemsOf, problemsOfWebhooks, statusesOf, untilSettled, untilTold } from './outcome';
import type { SandboxCredentials } from './service';
import { WebhookReceiver } from './webhook-receiver';

/** What merchants work against: one process, or several of which one answers them. */
export interface Workplace {
  readonly url: string;
  readonly dataDir: string;
  readonly credentials: SandboxCredentials;
  /** The errors that its processes logged. */
  readonly errors: readonly string[];
}

/** Payments with every outcome, most of which complete. */
const CARDS: Readonly<Partial<Record<Card, number>>> = {
  ...{ completes: 10, declined: 2, challenge: 3, challengeDeclined: 1, captureRefused: 1 },
  ...{ authorizationAnswerLost: 1, captureAnswerLost: 1, refundAnswerLost: 2 },
};

/** Merchants at work, with webhooks of which some fail at first, so that there are retries that could be lost. */
export class Work {
  private constructor(
    private readonly place: Workplace,
    readonly random: SeededRandom,
    readonly receiver: WebhookReceiver,
    readonly load: Load,
    readonly client: MerchantClient,
  ) {}

  /** @param name of the scenario, printed so that its seed can be repeated. */
  static async start(name: string, place: Workplace, cards = CARDS): Promise<Work> {
    const seed = newSeed();
    process.stdout.write(`${name}: SEED=${seed}\n`);
    const random = new SeededRandom(seed);
    const seen = new Set<string>();
    const receiver = await WebhookReceiver.start(({ headers }) => {
      const webhookId = String(headers['x-webhook-id']);
      const isFirst = !seen.has(webhookId);
      seen.add(webhookId);
      return isFirst && /[08]$/.test(webhookId) ? 500 : 204;
    });
    const client = new MerchantClient(place.url, place.credentials);
    const load = new Load({ client, random, notifyUrl: receiver.url, merchants: 6, cards });
    return new Work(place, random, receiver, load, client);
  }

  /**
   * Waits until everything started has ended, and returns everything that has not happened exactly once.
   *
   * @param place the place to check, if another process has replaced the original one.
   */
  async problems(place = this.place): Promise<readonly string[]> {
    const { load, client, receiver } = this;
    await load.finish();
    const ids = load.acknowledged.map(({ created }) => created.paymentId);
    const unknown = (await statusesOf(client, ids)).filter((status) => status === 'NOT_FOUND');
    await untilSettled(client, load.acknowledged, 300_000);
    await untilTold(load, receiver, 300_000);
    return [
      ...unknown.map(() => 'a payment was acknowledged and is not found'),
      ...(await problemsOf(load, client, place.dataDir)),
      ...problemsOfWebhooks(load, receiver),
      ...problemsOfLog(await readLog(place.dataDir)),
      ...place.errors,
    ];
  }

  async end(): Promise<void> {
    this.load.abandon();
    await this.receiver.stop();
  }
}
