import {
  assertNotDeleted,
  type CommandHandling,
  DamagedHistoryError,
  type EventStore,
  isOver,
  isoTime,
  type Slot,
  readEvent,
  readHistory,
  type StoredEvent,
  type ToDoItem,
} from '@app/event-sourcing';
import {
  isPaymentStream,
  isToldFromAnyLaterState,
  paymentDecider,
  type PaymentEvent,
  paymentIdOfStream,
  paymentSchemas,
  type PublicEvent,
  publicEventsOf,
  toPublicEvent,
} from '@app/payments/domain';
import {
  type AttemptOutcome,
  type DeliveryFacts,
  deliveryOf,
  isDeliveryId,
  receiverGroup,
  type WebhookDelivery,
  webhookDeliveryDecider,
  webhookDeliveryStreamId,
} from '@app/webhooks/domain';
import { containsCardNumber } from '@app/cards';
import { Reactor, type ReactorDependencies } from '@app/projections/reactor';
import { webhooksToSend, type WebhookToSend } from '@app/payments/read-models/webhooks-to-send';
import { webhooksToSendList } from '@app/payments/read-models/projection';
import { ForgedEntryError, maskedDigits, type Metrics } from '@app/platform/telemetry';
import { type Worker } from '@app/platform/lifecycle';
import { type DeliveryAttempt, isSuccess, type WebhookHttpClient } from '@app/webhooks/delivery/http-client';
import { Receivers } from './receivers';
import { nextAttemptAtMs } from './schedule';
import { webhookHeaders, type WebhookSecrets } from '@app/webhooks/delivery/signature';

/**
 * The time that an attempt in progress gets at shutdown. One that is cut off is repeated and costs no step of the
 * schedule.
 */
const DRAIN_MS = 5_000;
const GONE = 410;

export interface WebhookWorkerDependencies extends ReactorDependencies {
  readonly eventStore: EventStore;
  readonly handling: CommandHandling;
  readonly metrics: Metrics;
  readonly client: Pick<WebhookHttpClient, 'deliver'>;
  /** The merchant's valid webhook secrets. */
  readonly secretsOf: (merchantId: string) => WebhookSecrets;
}

/** A delivery and its event, as read from the log. */
interface Read {
  readonly delivery: DeliveryFacts;
  readonly message: Message;
}

/** What is sent, and the request that it follows from. */
interface Message {
  readonly event: PublicEvent;
  readonly storedEventId: string;
  readonly correlationId: string;
}

/** Sends webhooks: at least once, with each attempt recorded as an event, and fair to merchants and receivers. */
export class WebhookWorker implements Worker {
  readonly name = 'webhooks';
  private readonly receivers = new Receivers();
  private readonly reactor: Reactor;

  constructor(private readonly deps: WebhookWorkerDependencies) {
    this.reactor = new Reactor(deps, {
      name: this.name,
      list: webhooksToSendList,
      collection: webhooksToSend,
      limits: this.receivers,
      drainMs: DRAIN_MS,
      perform: (item, slot, abort) => this.send(item, slot, abort),
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.reactor.run(signal);
  }

  /**
   * The list only determines whose turn it is and where the event is. If the log names another receiver, the slot is
   * exchanged for one of that receiver.
   */
  private async send(item: ToDoItem, slot: Slot, abort: AbortSignal): Promise<bigint | null> {
    const source = sourceOf(item);
    const { state } = await this.deps.handling.load(webhookDeliveryDecider, webhookDeliveryStreamId(item.key));
    const isDue = state.wait === null || isOver(state.wait, this.deps.clock);
    if (state.status !== 'PENDING' || !isDue) return null;
    const attempt = state.attempts + 1;
    const { delivery, message } = await this.read(item.key, source);
    const receiver = receiverGroup(delivery.merchantId, delivery.url);
    if (!slot.move(receiver)) return null;
    const tried = await this.deliver(delivery, message, attempt, abort);
    this.report(delivery, attempt, tried);
    if (tried.kind === 'aborted') return null;
    this.receivers.tried(receiver, verdictOf(tried));
    return this.record(delivery, message, state, tried);
  }

  /**
   * The receiver and content of the webhook. Both come from the event, whose id the delivery's id is derived from.
   *
   * @throws ForgedEntryError, DamagedHistoryError
   */
  private async read(deliveryId: string, source: DeliveryFacts['source']): Promise<Read> {
    const { streamId, revision } = source;
    const [recorded] = await this.deps.eventStore.readStream(streamId, { from: revision, maxCount: 1 });
    if (recorded === undefined) await assertNotDeleted(this.deps.eventStore, streamId);
    const told = recorded && readEvent<PaymentEvent>(recorded, paymentSchemas);
    const delivery = told && deliveryOf(told);
    if (!told || delivery?.deliveryId !== deliveryId)
      throw forged(`${streamId}@${revision} is not the event it tells of`);
    const event = await this.publicEvent(told);
    if (event?.data['merchantId'] !== delivery.merchantId) {
      throw new DamagedHistoryError(told, 'BROKEN', 'it names another merchant than the payment does');
    }
    return { delivery, message: { event, storedEventId: told.id, correlationId: told.metadata.correlationId } };
  }

  /** Built from the payment as of the event, so that a late webhook has the same content. */
  private async publicEvent(told: StoredEvent<PaymentEvent>): Promise<PublicEvent | null> {
    const { streamId, revision } = told;
    if (isToldFromAnyLaterState(told)) {
      const { state } = await this.deps.handling.load(paymentDecider, streamId);
      return state && toPublicEvent(told, state);
    }
    const recorded = await this.deps.eventStore.readStream(streamId, { maxCount: revision + 1 });
    const events = readHistory<PaymentEvent>(recorded, paymentSchemas);
    return publicEventsOf(events, (one) => one === revision).get(revision) ?? null;
  }

  private deliver(
    delivery: DeliveryFacts,
    { event }: Message,
    attempt: number,
    abort: AbortSignal,
  ): Promise<DeliveryAttempt> {
    const { eventId, eventType, timestamp, data } = event;
    const body = JSON.stringify({ eventId, eventType, timestamp, data });
    const headers = webhookHeaders({
      secrets: this.deps.secretsOf(delivery.merchantId),
      webhookId: delivery.deliveryId,
      eventType,
      eventSequence: delivery.source.revision,
      attempt,
      timestampSeconds: Math.floor(this.deps.clock.nowMs() / 1_000),
      body,
    });
    return this.deps.client.deliver({ url: delivery.url, headers, body, signal: abort });
  }

  private async record(
    delivery: DeliveryFacts,
    message: Message,
    { attempts, scheduleBegan }: WebhookDelivery,
    tried: Exclude<DeliveryAttempt, { kind: 'aborted' }>,
  ): Promise<bigint | null> {
    const { durationMs } = tried;
    const nowMs = this.deps.clock.settledMs();
    const attempt = attempts + 1;
    const outcome = this.outcomeOf(attempt - scheduleBegan, nowMs, tried);
    const handled = await this.deps.handling.handle(
      webhookDeliveryDecider,
      webhookDeliveryStreamId(delivery.deliveryId),
      { type: 'RecordAttempt', delivery, attempt, scheduleBegan, durationMs, outcome, now: isoTime(nowMs) },
      { correlationId: message.correlationId, causationId: message.storedEventId, actor: 'worker:webhooks' },
    );
    return handled.kind === 'accepted' ? (handled.events.at(-1)?.position ?? null) : null;
  }

  /** @param attempt counted since the last redelivery, 1 for the first. */
  private outcomeOf(
    attempt: number,
    nowMs: number,
    tried: Exclude<DeliveryAttempt, { kind: 'aborted' }>,
  ): AttemptOutcome {
    if (verdictOf(tried) === 'success' && tried.kind === 'response') {
      return { kind: 'delivered', httpStatus: tried.status };
    }
    const failure =
      tried.kind === 'response'
        ? { stage: 'response', code: `HTTP_${tried.status}`, httpStatus: tried.status, ...saidIn(tried) }
        : { stage: tried.stage, code: tried.code, httpStatus: null };
    if (failure.httpStatus === GONE) return { kind: 'exhausted', failure, cause: 'RECEIVER_GONE' };
    const nextMs = nextAttemptAtMs({
      attempt,
      nowMs,
      jitter: this.deps.random.fraction(),
      retryAfterMs: tried.kind === 'response' ? tried.retryAfterMs : null,
    });
    if (nextMs === 'exhausted') return { kind: 'exhausted', failure, cause: 'ATTEMPTS_USED_UP' };
    return { kind: 'failed', failure, nextAttemptAt: isoTime(nextMs) };
  }

  /** Logs one line per attempt, without the URL's query, which may contain the merchant's secrets. */
  private report(delivery: DeliveryFacts, attempt: number, tried: DeliveryAttempt): void {
    const { deliveryId, merchantId, eventType, url, source } = delivery;
    const paymentId = paymentIdOfStream(source.streamId);
    const outcome = tried.kind === 'response' ? `HTTP ${tried.status}` : tried.kind;
    const at = tried.kind === 'failed' || tried.kind === 'refused' ? { stage: tried.stage, code: tried.code } : {};
    const cause = tried.kind === 'failed' && tried.cause !== undefined ? { cause: tried.cause } : {};
    const receiver = receiverOf(url);
    const about = { deliveryId, merchantId, paymentId, eventType };
    const fields = { ...about, receiver, attempt, outcome, ms: tried.durationMs, ...at, ...cause };
    this.deps.metrics.webhookAttempt(tried.kind === 'aborted' ? 'aborted' : verdictOf(tried));
    if (tried.kind === 'response' && verdictOf(tried) === 'success') this.deps.logger.info('webhook', fields);
    else this.deps.logger.warn('webhook', fields);
  }
}

function saidIn({ beginning }: { readonly beginning: string | null }): { readonly answer?: string } {
  return beginning === null ? {} : { answer: beginning };
}

/** Host and port, with possible card numbers masked: early events may have been accepted with one. */
function receiverOf(url: string): string {
  const host = URL.parse(url)?.host;
  if (host === undefined) return 'unreadable';
  return containsCardNumber(host) ? 'withheld' : maskedDigits(host);
}

/** The place of the webhook's event according to the list, not verified yet. @throws ForgedEntryError */
function sourceOf({ key, document }: ToDoItem): DeliveryFacts['source'] {
  const { streamId, revision } = (document as Partial<WebhookToSend>).source ?? {};
  const isPlace = typeof streamId === 'string' && isPaymentStream(streamId) && Number.isSafeInteger(revision);
  if (!isDeliveryId(key) || !isPlace || Number(revision) < 0) throw forged('it names no event of a payment');
  return { streamId, revision: Number(revision) };
}

function forged(why: string): ForgedEntryError {
  return new ForgedEntryError(why);
}

function verdictOf(tried: Exclude<DeliveryAttempt, { kind: 'aborted' }>): 'success' | 'failure' | 'timeout' {
  if (tried.kind === 'response') return isSuccess(tried.status) ? 'success' : 'failure';
  return tried.kind === 'failed' && tried.stage === 'timeout' ? 'timeout' : 'failure';
}
