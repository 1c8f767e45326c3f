import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const APPEND_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const BATCH_EVENTS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000];

/**
 * What the service measures, each by a name of its own. Labels take few values: a route is its pattern, never the path that
 * was asked for, and no merchant, payment or receiver is a label.
 */
export class Metrics {
  readonly #registry = new Registry();
  #sample: () => Promise<void> = () => Promise.resolve();

  readonly #requests = new Histogram({
    name: 'counterfoil_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers: [this.#registry],
  });

  readonly #batchEvents = new Histogram({
    name: 'counterfoil_append_batch_events',
    help: 'Events made durable together in one commit of the event store',
    buckets: BATCH_EVENTS,
    registers: [this.#registry],
  });

  readonly #appendSeconds = new Histogram({
    name: 'counterfoil_append_duration_seconds',
    help: 'Time that one commit of the event store took',
    buckets: APPEND_SECONDS,
    registers: [this.#registry],
  });

  readonly #lagSeconds = new Gauge({
    name: 'counterfoil_projection_lag_seconds',
    help: 'Age of the oldest event that a projection has not yet taken in; 0 when it has caught up',
    labelNames: ['projection'],
    registers: [this.#registry],
  });

  readonly #lagEvents = new Gauge({
    name: 'counterfoil_projection_lag_events',
    help: 'Events that a projection has not yet taken in, counted up to 1000',
    labelNames: ['projection'],
    registers: [this.#registry],
  });

  readonly #todoItems = new Gauge({
    name: 'counterfoil_todo_items',
    help: 'Items on a to-do list, due or not',
    labelNames: ['list'],
    registers: [this.#registry],
  });

  readonly #todoOverdueSeconds = new Gauge({
    name: 'counterfoil_todo_overdue_seconds',
    help: 'How long the longest due item of a to-do list has been due, worked on or not; 0 when none is due',
    labelNames: ['list'],
    registers: [this.#registry],
  });

  readonly #samplingFailures = new Counter({
    name: 'counterfoil_sampling_failures_total',
    help: 'Scrapes for which the stores could not tell lags and to-do lists',
    registers: [this.#registry],
  });

  readonly #webhookAttempts = new Counter({
    name: 'counterfoil_webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by how they ended',
    labelNames: ['outcome'],
    registers: [this.#registry],
  });

  readonly #damagedStreams = new Gauge({
    name: 'counterfoil_damaged_streams',
    help: 'Streams that this process has found damaged and set aside since it was started',
    registers: [this.#registry],
  });

  readonly #forgedEntries = new Counter({
    name: 'counterfoil_forged_entries_total',
    help: 'Entries of the read store that the log does not bear out, and that were not acted upon',
    labelNames: ['kind'],
    registers: [this.#registry],
  });

  readonly #gatewayCalls = new Counter({
    name: 'counterfoil_gateway_calls_total',
    help: 'Calls of the payment gateway, by operation and by how they ended',
    labelNames: ['operation', 'outcome'],
    registers: [this.#registry],
  });

  /** `route` is the pattern, such as `/api/v2/payments/:paymentId`; `unknown` when none matched. */
  httpRequest(method: string, route: string, status: number, durationSeconds: number): void {
    this.#requests.labels(method, route, String(status)).observe(durationSeconds);
  }

  appendBatch(events: number, durationSeconds: number): void {
    this.#batchEvents.observe(events);
    this.#appendSeconds.observe(durationSeconds);
  }

  /** `events` is left out where only the lag's age is known. */
  projectionLag(projection: string, lagSeconds: number, events?: number): void {
    this.#lagSeconds.labels(projection).set(lagSeconds);
    if (events !== undefined) this.#lagEvents.labels(projection).set(events);
  }

  /** `overdueSeconds`: how long its longest due item has been waiting. */
  todoList(list: string, items: number, overdueSeconds: number): void {
    this.#todoItems.labels(list).set(items);
    this.#todoOverdueSeconds.labels(list).set(overdueSeconds);
  }

  /** Lags and to-do lists are unknown until they are measured again. */
  forgetSampled(): void {
    for (const gauge of [this.#lagSeconds, this.#lagEvents, this.#todoItems, this.#todoOverdueSeconds]) gauge.reset();
  }

  samplingFailed(): void {
    this.#samplingFailures.inc();
  }

  webhookAttempt(outcome: string): void {
    this.#webhookAttempts.labels(outcome).inc();
  }

  damagedStreams(count: number): void {
    this.#damagedStreams.set(count);
  }

  /** `kind`: what the entry was one of, such as a to-do list. */
  forgedEntry(kind: string): void {
    this.#forgedEntries.labels(kind).inc();
  }

  gatewayCall(operation: string, outcome: string): void {
    this.#gatewayCalls.labels(operation, outcome).inc();
  }

  /** Also measures memory, CPU, event loop delay and garbage collection. For a process of its own: it can't be undone. */
  collectProcessMetrics(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** `sample` is awaited before each answer of `text`. */
  sampleOnScrape(sample: () => Promise<void>): void {
    this.#sample = sample;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All of it in Prometheus' text format. */
  async text(): Promise<string> {
    await this.#sample();
    return this.#registry.metrics();
  }
}
