import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '@app/platform/testing';
import { type Answer, type MerchantClient, paymentRequest } from './merchant-client';
import { eventually } from './service';
import { answerChallenge, CARDS, type CreatedPayment, type RefundBody, refundRequest } from './payments';

export type Card = keyof typeof CARDS;

export interface LoadPayment {
  readonly key: string;
  readonly request: Record<string, unknown>;
  readonly card: Card;
  readonly valueMinor: bigint;
  readonly decision: 'approve' | 'decline';
  /** The response to the create, from whichever attempt got one. */
  answer: Answer | null;
  readonly refunds: LoadRefund[];
}

export interface LoadRefund {
  readonly key: string;
  readonly refundId: string;
  readonly amountMinor: bigint;
}

export interface LoadOptions {
  readonly client: MerchantClient;
  readonly random: SeededRandom;
  /** How often each card is used, relative to the others. */
  readonly cards: Readonly<Partial<Record<Card, number>>>;
  readonly notifyUrl?: string;
  /** Merchants who create and refund concurrently. */
  readonly merchants: number;
}

/**
 * Merchants at work who never give up: a request without a response, or with a 503, is repeated with the same key until
 * it gets one. Their requests are determined by the seed; the timing is not.
 */
export class Load {
  readonly payments: LoadPayment[] = [];
  /** Responses that no merchant should ever get. */
  readonly surprises: string[] = [];
  /** The number of requests without a response. */
  unanswered = 0;
  answered = 0;
  private running = true;
  private abandoned = false;
  private readonly merchants: Promise<void>[];

  constructor(private readonly options: LoadOptions) {
    this.merchants = Array.from({ length: options.merchants }, () => this.work());
    // `finish` reports their errors; it need not be called.
    for (const merchant of this.merchants) merchant.catch(() => undefined);
  }

  /** Resolves when that many more requests have been answered. */
  async progress(count: number): Promise<void> {
    const goal = this.answered + count;
    await eventually(`${count} more answers`, async () => this.answered >= goal, 240_000);
  }

  /** Resolves once every started request has been answered, for which the service must be running. */
  async finish(): Promise<void> {
    this.running = false;
    await Promise.all(this.merchants);
  }

  /** Abandons unanswered requests: for tests that fail before `finish`. */
  abandon(): void {
    this.running = false;
    this.abandoned = true;
  }

  get acknowledged(): readonly (LoadPayment & { readonly created: CreatedPayment })[] {
    return this.payments.map((payment) => ({ ...payment, created: payment.answer?.body as unknown as CreatedPayment }));
  }

  private async work(): Promise<void> {
    while (this.running) {
      if (this.options.random.fraction() < 0.75) await this.pay();
      else await this.refund();
      await sleep(this.options.random.fraction() * 20);
    }
  }

  private async pay(): Promise<void> {
    const { client, random, notifyUrl } = this.options;
    const card = this.pickCard();
    const valueMinor = BigInt(1_000 + Math.floor(random.fraction() * 100_000));
    const change = { card: CARDS[card], value: decimal(valueMinor), ...(notifyUrl === undefined ? {} : { notifyUrl }) };
    const request = paymentRequest(change);
    const decision = random.fraction() < 0.7 ? 'approve' : 'decline';
    const payment: LoadPayment = { key: random.uuid(), request, card, valueMinor, decision, answer: null, refunds: [] };
    this.payments.push(payment);
    payment.answer = await this.untilAnswered(() => client.createPayment(request, { key: payment.key }));
    if (payment.answer.status !== 201) this.surprises.push(`create: ${payment.answer.status} ${payment.answer.text}`);
    const created = payment.answer.body as unknown as CreatedPayment;
    if (created.nextAction === undefined) return;
    const page = await this.untilAnswered(() => answerChallenge(created, decision));
    if (page.status !== 200) this.surprises.push(`authentication: ${page.status} ${await page.text()}`);
  }

  private async refund(): Promise<void> {
    const { client, random } = this.options;
    // Payments whose refund's answer is lost are chosen more often than by chance: they are the ones that could be
    // refunded twice.
    const lost = this.payments.filter(({ card }) => card === 'refundAnswerLost');
    const among = random.fraction() < 0.3 ? lost : this.payments;
    const payment = among[Math.floor(random.fraction() * among.length)];
    const paymentId = payment?.answer?.body['paymentId'];
    if (payment === undefined || typeof paymentId !== 'string') return;
    const amountMinor = BigInt(100 + Math.floor(random.fraction() * 500));
    const key = random.uuid();
    const answer = await this.untilAnswered(() =>
      client.refund(paymentId, refundRequest(decimal(amountMinor)), { key }),
    );
    const { refundId } = answer.body as unknown as RefundBody;
    if (answer.status === 202) payment.refunds.push({ key, refundId, amountMinor });
    // 409 and 422: not completed yet, or almost fully refunded.
    else if (answer.status !== 409 && answer.status !== 422) {
      this.surprises.push(`refund: ${answer.status} ${answer.text}`);
    }
  }

  /** Each card once, then at random. */
  private pickCard(): Card {
    const weights = Object.entries(this.options.cards) as [Card, number][];
    const next = weights[this.payments.length];
    if (next !== undefined) return next[0];
    let point = this.options.random.fraction() * weights.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [card, weight] of weights) {
      point -= weight;
      if (point < 0) return card;
    }
    return 'completes';
  }

  private async untilAnswered<T extends { readonly status: number }>(send: () => Promise<T>): Promise<T> {
    for (;;) {
      const answer = await send().catch(() => null);
      if (answer !== null && answer.status < 500) {
        this.answered += 1;
        return answer;
      }
      if (answer !== null && answer.status !== 503) this.surprises.push(`answered ${answer.status}`);
      if (this.abandoned) throw new Error('The load was abandoned');
      this.unanswered += 1;
      await sleep(20);
    }
  }
}

/** Converts cents to euros. */
export function decimal(minor: bigint): string {
  return `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`;
}

/** A seed to print, or the one to repeat. */
export function newSeed(): number {
  return Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
}
