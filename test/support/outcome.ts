import { booksOf } from './books';
import { decimal, type Card, type Load, type LoadPayment } from './load';
import type { MerchantClient } from './merchant-client';
import { bodyOf, type CreatedPayment, read, type ReadPayment } from './payments';
import { eventually } from './service';
import type { ReceivedWebhook, WebhookReceiver } from './webhook-receiver';

type Acknowledged = LoadPayment & { readonly created: CreatedPayment };

/** The expected status of a payment, and the expected entries in the gateway's books. */
interface Expected {
  readonly status: 'COMPLETED' | 'FAILED';
  readonly acts: readonly [authorizations: number, captures: number, voids: number];
}

function expectedOf({ card, decision }: Pick<LoadPayment, 'card' | 'decision'>): Expected {
  const completed: Expected = { status: 'COMPLETED', acts: [1, 1, 0] };
  const failed: Expected = { status: 'FAILED', acts: [0, 0, 0] };
  const table: Partial<Record<Card, Expected>> = {
    declined: failed,
    insufficientFunds: failed,
    challengeDeclined: failed,
    captureRefused: { status: 'FAILED', acts: [1, 0, 1] },
    challenge: decision === 'approve' ? completed : failed,
  };
  return table[card] ?? completed;
}

/** Waits until every payment has ended and none of their refunds is pending. */
export async function untilSettled(
  client: MerchantClient,
  payments: readonly Acknowledged[],
  ms: number,
): Promise<void> {
  let open = payments.map(({ created }) => created.paymentId);
  await eventually(
    'all payments and refunds to come to an end',
    async () => {
      const left: string[] = [];
      for (const paymentId of open) {
        const { status, transactions } = await read(client, paymentId);
        const ended = status !== 'PROCESSING' && status !== 'AUTHORIZED';
        if (!ended || transactions.some((one) => one.status === 'PENDING')) left.push(paymentId);
      }
      open = left;
      return open.length === 0;
    },
    ms,
  ).catch((error: unknown) => {
    throw new Error(`${open.length} payments have not ended: ${open.slice(0, 5).join(', ')}`, { cause: error });
  });
}

/**
 * All problems with the load's payments: in reads, in the gateway's books, and in the response to a repeated create.
 * Empty if everything happened exactly once.
 */
export async function problemsOf(load: Load, client: MerchantClient, dataDir: string): Promise<readonly string[]> {
  const problems = [...load.surprises];
  const payments = load.acknowledged;
  const ids = payments.map(({ created }) => created.paymentId);
  if (new Set(ids).size !== ids.length) problems.push('two creates were answered with the same payment');
  const books = booksOf(dataDir, ids);
  for (const payment of payments) {
    const { paymentId } = payment.created;
    const complain = (what: string) => problems.push(`${paymentId} (${payment.card}, ${payment.decision}): ${what}`);
    const expected = expectedOf(payment);
    const { authorizations, captures, voids, refunds } = books.get(paymentId)!;
    const acts = [authorizations.count, captures.count, voids.count];
    if (String(acts) !== String(expected.acts)) complain(`was authorized, captured, voided ${String(acts)} times`);
    for (const { count, amountMinor } of [authorizations, captures]) {
      if (amountMinor !== BigInt(count) * payment.valueMinor) complain(`${amountMinor} was moved`);
    }
    const refunded = payment.refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
    if (refunds.count !== payment.refunds.length || refunds.amountMinor !== refunded) {
      complain(
        `${refunds.count} refunds of ${refunds.amountMinor} instead of ${payment.refunds.length} of ${refunded}`,
      );
    }
    for (const problem of problemsOfRead(await read(client, paymentId), payment, expected, refunded)) complain(problem);
    const again = await repeated(client, payment);
    if (again.text !== payment.answer?.text || again.headers.get('idempotent-replayed') !== 'true') {
      complain(`its repeated create was answered ${again.status} ${again.text}`);
    }
  }
  return problems;
}

/**
 * A 503 means that the outcome is unknown, as on an overloaded machine: the request is repeated, as a merchant does.
 */
async function repeated(client: MerchantClient, { request, key }: Acknowledged) {
  return eventually('a create to be repeated', async () => {
    const again = await client.createPayment(request, { key });
    return again.status !== 503 && again;
  });
}

function problemsOfRead(body: ReadPayment, payment: Acknowledged, expected: Expected, refunded: bigint): string[] {
  const problems: string[] = [];
  if (body.status !== expected.status) problems.push(`reads ${body.status}`);
  if (body.refundedAmount.value !== decimal(refunded)) problems.push(`reads ${body.refundedAmount.value} refunded`);
  const captured = expected.status === 'COMPLETED' ? payment.valueMinor : 0n;
  if (body.capturedAmount.value !== decimal(captured)) problems.push(`reads ${body.capturedAmount.value} captured`);
  const counts = (type: string) => body.transactions.filter((one) => one.type === type).length;
  if (counts('AUTHORIZATION') !== 1) problems.push('reads more than one authorization');
  if (counts('REFUND') !== payment.refunds.length) problems.push(`reads ${counts('REFUND')} refunds`);
  return problems;
}

/**
 * Waits until every payment and refund has had a webhook at least once; fails if no further one arrives within `ms`.
 */
export async function untilTold(load: Load, receiver: WebhookReceiver, ms: number): Promise<void> {
  let missing = toldOf(load);
  while (missing.length > 0) {
    const { length } = missing;
    const isFewer = async () => {
      missing = missing.filter(({ id, types }) => webhooksAbout(receiver, id, types).length === 0);
      return missing.length < length;
    };
    await eventually('one more webhook', isFewer, ms).catch((error: unknown) => {
      const names = missing.slice(0, 5).map(({ id }) => id);
      throw new Error(`No webhook came about ${names.join(', ')} (${length})`, { cause: error });
    });
  }
}

/**
 * Problems with the received webhooks: each event must have one id, one delivery and one content, however often it was
 * sent.
 */
export function problemsOfWebhooks(load: Load, receiver: WebhookReceiver): readonly string[] {
  const problems: string[] = [];
  for (const { id, types, type } of toldOf(load)) {
    const about = webhooksAbout(receiver, id, types);
    for (const [what, values] of [
      ['X-Webhook-ID', about.map(({ headers }) => headers['x-webhook-id'])],
      ['event', about.map(({ body }) => body.eventId)],
      ['text', about.map(({ raw }) => raw)],
      ['type', [...about.map(({ body }) => body.eventType), type]],
    ] as const) {
      if (new Set(values).size !== 1) problems.push(`${id} was told of with more than one ${what}: ${String(values)}`);
    }
  }
  const deliveries = new Map<string, string>();
  for (const { headers, body } of receiver.received) {
    const webhookId = String(headers['x-webhook-id']);
    const known = deliveries.get(webhookId) ?? body.eventId;
    if (known !== body.eventId) problems.push(`${webhookId} told of two events`);
    deliveries.set(webhookId, body.eventId);
  }
  return problems;
}

interface Told {
  readonly id: string;
  readonly types: 'payment.' | 'refund.';
  readonly type: string;
}

function toldOf(load: Load): readonly Told[] {
  return load.acknowledged.flatMap((payment): Told[] => {
    const type = `payment.${expectedOf(payment).status.toLowerCase()}`;
    const refunds = payment.refunds.map(({ refundId }): Told => ({
      id: refundId,
      types: 'refund.',
      type: 'refund.completed',
    }));
    return [{ id: payment.created.paymentId, types: 'payment.', type }, ...refunds];
  });
}

function webhooksAbout(receiver: WebhookReceiver, id: string, types: Told['types']): readonly ReceivedWebhook[] {
  return receiver.of(id).filter(({ body }) => body.eventType.startsWith(types));
}

/** Queries all payments in batches, and returns their statuses. */
export async function statusesOf(client: MerchantClient, ids: readonly string[]): Promise<readonly string[]> {
  const statuses: string[] = [];
  for (let from = 0; from < ids.length; from += 100) {
    const answer = await client.batchQuery(ids.slice(from, from + 100));
    const { results } = bodyOf<{ results: readonly { status: string }[] }>(answer, 200);
    statuses.push(...results.map(({ status }) => status));
  }
  return statuses;
}
