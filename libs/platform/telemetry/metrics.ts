import { BUILD_INFO } from '@app/platform/configuration';
import type { Clock } from '@app/event-sourcing';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The text is rendered at most this often, because rendering takes milliseconds of the main thread. */
const TEXT_KEPT_MS = 1_000;
const REQUEST_SECONDS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const APPEND_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const BATCH_EVENTS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000];

/** Clients choose the method: any other than these shares one label. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT']);
/** Why credentials were refused. */
export type AuthenticationFailure =
  'missing' | 'malformed' | 'unknown' | 'expired' | 'revoked' | 'unsigned' | 'signature' | 'timestamp';

/** Which API the credentials were for. */
export type AuthenticatingApi = 'merchant' | 'operator' | 'auditor' | 'gateway' | 'sandbox';

/**
 * The service's metrics. Labels have few values: a route is its pattern, never the requested path, and no merchant,
 * payment or receiver is a label.
 */
export class Metrics {
  readonly #registry = new Registry();
  #sample: () => Promise<void> = () => Promise.resolve();
  #text: { readonly atMs: number; readonly text: Promise<string> } | null = null;

  readonly #requests = new Counter({
    name: 'counterfoil_http_requests_total',
    help: 'Requests, by how they were answered',
    labelNames: ['method', 'route', 'status'],
    registers: [this.#registry],
  });

  readonly #requestSeconds = new Histogram({
    name: 'counterfoil_http_request_duration_seconds',
    help: 'Time from a request of a route to the end of its answer',
    labelNames: ['method', 'route'],
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
    help: 'Due items of a to-do list, counted up to 1000',
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

  readonly #sealedEvents = new Gauge({
    name: 'counterfoil_sealed_events',
    help: 'Events that the last seal covers; only in the process that seals',
    registers: [this.#registry],
  });

  readonly #lastSealSeconds = new Gauge({
    name: 'counterfoil_last_seal_timestamp_seconds',
    help: 'When this process sealed last, in seconds since the epoch',
    registers: [this.#registry],
  });

  readonly #unsealedSeconds = new Gauge({
    name: 'counterfoil_unsealed_age_seconds',
    help: 'Age of the oldest event that should have been sealed and is not; 0 when all are',
    registers: [this.#registry],
  });

  readonly #sealingFailures = new Counter({
    name: 'counterfoil_sealing_failures_total',
    help: 'Attempts to seal the history that failed or were refused',
    registers: [this.#registry],
  });

  readonly #readModelDifferences = new Gauge({
    name: 'counterfoil_read_model_differences',
    help: 'Differences between a read model and the log, as the comparison that goes on all the time has found them',
    labelNames: ['projection'],
    registers: [this.#registry],
  });

  readonly #readModelCompared = new Gauge({
    name: 'counterfoil_read_model_compared_timestamp_seconds',
    help: 'When a read model was last compared with the log as a whole, in seconds since the epoch',
    labelNames: ['projection'],
    registers: [this.#registry],
  });

  readonly #gatewayCalls = new Counter({
    name: 'counterfoil_gateway_calls_total',
    help: 'Calls of the payment gateway, by operation and by how they ended',
    labelNames: ['operation', 'outcome'],
    registers: [this.#registry],
  });

  readonly #clockSteps = new Counter({
    name: 'counterfoil_clock_steps_total',
    help: 'How often the wall clock stepped, by 2 s or more',
    registers: [this.#registry],
  });

  readonly #clockStepSeconds = new Gauge({
    name: 'counterfoil_clock_step_seconds',
    help: 'How far the wall clock stepped when it last did: ahead, or below zero back',
    registers: [this.#registry],
  });

  readonly #authenticationFailures = new Counter({
    name: 'counterfoil_authentication_failures_total',
    help: 'Requests whose credentials were refused, by whose they would have been and by what was wrong with them',
    labelNames: ['api', 'reason'],
    registers: [this.#registry],
  });

  /** @param clock limits how long a rendered text is reused; without one, it is not reused. */
  constructor(private readonly clock: Clock | null = null) {}

  /** `route` is the pattern, such as `/api/v2/payments/:paymentId`; `unknown` if none matched. */
  httpRequest(method: string, route: string, status: number, durationSeconds: number): void {
    this.#requests.labels(METHODS.has(method) ? method : 'OTHER', route, String(status)).inc();
    // Each bucket is a series: unknown routes get none, and HEAD shares those of GET.
    if (route !== 'unknown')
      this.#requestSeconds.labels(method === 'HEAD' ? 'GET' : method, route).observe(durationSeconds);
  }

  appendBatch(events: number, durationSeconds: number): void {
    this.#batchEvents.observe(events);
    this.#appendSeconds.observe(durationSeconds);
  }

  /** `events` is absent if only the lag's age is known. */
  projectionLag(projection: string, lagSeconds: number, events?: number): void {
    this.#lagSeconds.labels(projection).set(lagSeconds);
    if (events !== undefined) this.#lagEvents.labels(projection).set(events);
  }

  /** `overdueSeconds`: how long the longest due item has been due. */
  todoList(list: string, items: number, overdueSeconds: number): void {
    this.#todoItems.labels(list).set(items);
    this.#todoOverdueSeconds.labels(list).set(overdueSeconds);
  }

  /** Resets lags and to-do lists until they are sampled again. */
  forgetSampled(): void {
    for (const gauge of [this.#lagSeconds, this.#lagEvents, this.#todoItems, this.#todoOverdueSeconds]) gauge.reset();
  }

  samplingFailed(): void {
    this.#samplingFailures.inc();
  }

  authenticationFailure(api: AuthenticatingApi, reason: AuthenticationFailure): void {
    this.#authenticationFailures.labels(api, reason).inc();
  }

  webhookAttempt(outcome: string): void {
    this.#webhookAttempts.labels(outcome).inc();
  }

  damagedStreams(count: number): void {
    this.#damagedStreams.set(count);
  }

  /** `kind`: what the entry belongs to, such as a to-do list. */
  forgedEntry(kind: string): void {
    this.#forgedEntries.labels(kind).inc();
  }

  /** `atSeconds`: null if nothing was sealed now. */
  sealed(events: number, atSeconds: number | null): void {
    this.#sealedEvents.set(events);
    if (atSeconds !== null) this.#lastSealSeconds.set(atSeconds);
  }

  unsealed(ageSeconds: number): void {
    this.#unsealedSeconds.set(ageSeconds);
  }

  sealingFailed(): void {
    this.#sealingFailures.inc();
  }

  /** This process seals no more. */
  forgetSeals(): void {
    for (const gauge of [this.#sealedEvents, this.#lastSealSeconds, this.#unsealedSeconds]) gauge.reset();
  }

  /** `comparedAtMs` is null if this process has not compared the whole of it. */
  readModelCompared(projection: string, differences: number, comparedAtMs: number | null): void {
    this.#readModelDifferences.labels(projection).set(differences);
    if (comparedAtMs === null) this.#readModelCompared.remove(projection);
    else this.#readModelCompared.labels(projection).set(comparedAtMs / 1_000);
  }

  gatewayCall(operation: string, outcome: string): void {
    this.#gatewayCalls.labels(operation, outcome).inc();
  }

  clockStepped(bySeconds: number, steps: number): void {
    this.#clockStepSeconds.set(bySeconds);
    this.#clockSteps.inc(steps);
  }

  /**
   * Adds build information, memory, CPU, event loop delay and garbage collection. Cannot be undone, so call it only in
   * a process of its own.
   */
  collectProcessMetrics(): void {
    const { version, commit } = BUILD_INFO;
    const buildInfo = new Gauge({
      name: 'counterfoil_build_info',
      help: 'Always 1: which version this is, and the commit that it was built from',
      labelNames: ['version', 'commit'],
      registers: [this.#registry],
    });
    buildInfo.labels(version, commit).set(1);
    collectDefaultMetrics({ register: this.#registry });
  }

  /** `sample` is awaited before the text is rendered. */
  sampleOnScrape(sample: () => Promise<void>): void {
    this.#sample = sample;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /**
   * All metrics in the Prometheus text format. With a clock, the text is shared by all calls within a second; without
   * one, by those that wait for it.
   */
  text(): Promise<string> {
    const nowMs = this.clock?.monotonicMs() ?? 0;
    if (this.#text !== null && nowMs - this.#text.atMs < TEXT_KEPT_MS) return this.#text.text;
    const made = { atMs: nowMs, text: this.#makeText() };
    this.#text = made;
    const forget = () => {
      if (this.#text === made) this.#text = null;
    };
    made.text.then(this.clock === null ? forget : undefined, forget);
    return made.text;
  }

  async #makeText(): Promise<string> {
    await this.#sample();
    return this.#registry.metrics();
  }
}
