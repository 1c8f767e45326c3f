import type { Place } from '../group-identity';
import type { GroupSettings } from '../group-settings';
import type { DispatchStrategy } from '../dispatch/strategy';
import type { Consumer, Delivery } from './consumer';
import type { GroupMessage } from './message';
import { Progress } from './progress';
import { Waiting, type WaitingMessage } from './waiting';

/** What a consumer wants to happen to a message that it did not process. */
export type NackAction = 'retry' | 'park' | 'skip' | 'stop';

/** An action that the group must take as a result. */
export type Effect =
  | { readonly kind: 'deliver'; readonly delivery: Delivery }
  /** Park the message, and report the result with `parked` or `notParked`. */
  | { readonly kind: 'park'; readonly message: GroupMessage; readonly retryCount: number; readonly reason: string };

/** Waiting messages are held in memory; at this size reading pauses, whatever the settings. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/**
 * A group's messages: waiting, in flight, being parked. It has no side effects: each transition returns effects. A
 * message is done only once it was acknowledged, skipped or parked.
 */
export class GroupState {
  readonly waiting = new Waiting();
  readonly consumers = new Set<Consumer>();
  /** Progress through the source. */
  readonly progress: Progress;
  /** Progress through the parked stream, during a replay. */
  readonly replay = new Progress(null);
  /** Deliveries so far, including repeated ones. */
  delivered = 0;

  constructor(
    private readonly settings: GroupSettings,
    private readonly strategy: DispatchStrategy<Consumer>,
    checkpoint: Place | null,
  ) {
    this.progress = new Progress(checkpoint);
  }

  /**
   * How many more messages may be read. As in EventStoreDB, a group that is behind reads a batch only if there is more
   * room than that.
   */
  room(isLive: boolean): number {
    const { historyBufferSize, readBatchSize, liveBufferSize } = this.settings;
    if (this.waiting.bytes >= MAX_WAITING_BYTES) return 0;
    const free = historyBufferSize - this.waiting.size;
    if (isLive) return Math.max(0, Math.min(free, Math.max(1, liveBufferSize)));
    const batch = Math.max(1, readBatchSize);
    return free > batch ? batch : 0;
  }

  get inFlight(): number {
    return [...this.consumers].reduce((sum, { inFlight }) => sum + inFlight, 0);
  }

  connected(consumer: Consumer, nowMs: number): Effect[] {
    this.consumers.add(consumer);
    this.strategy.add(consumer);
    return this.dispatch(nowMs);
  }

  /** Its messages in flight are retried with other consumers. */
  disconnected(consumer: Consumer, nowMs: number): Effect[] {
    if (!this.consumers.delete(consumer)) return [];
    this.strategy.remove(consumer);
    const effects = [...consumer.deliveries()].flatMap((delivery) => this.again(delivery));
    return [...effects, ...this.dispatch(nowMs)];
  }

  /** Adds messages read from the source, in order. */
  arrived(messages: readonly GroupMessage[], nowMs: number): Effect[] {
    for (const message of messages) {
      this.progress.entered(message.place);
      this.waiting.addFresh(message);
    }
    return this.dispatch(nowMs);
  }

  /** Adds messages read from the parked stream, in order. */
  replayed(messages: readonly GroupMessage[], nowMs: number): Effect[] {
    for (const message of messages) {
      this.replay.entered(message.place);
      this.waiting.addAgain({ message, retryCount: 0 });
    }
    return this.dispatch(nowMs);
  }

  acknowledged(consumer: Consumer, ids: readonly string[], nowMs: number): Effect[] {
    for (const id of ids) {
      const delivery = this.release(consumer, id, nowMs);
      if (delivery !== undefined) this.done(delivery.message);
    }
    return this.dispatch(nowMs);
  }

  rejected(
    consumer: Consumer,
    ids: readonly string[],
    { action, reason, nowMs }: { readonly action: NackAction; readonly reason: string; readonly nowMs: number },
  ): Effect[] {
    const effects: Effect[] = [];
    for (const id of ids) {
      const delivery = this.release(consumer, id, nowMs);
      if (delivery === undefined) continue;
      if (action === 'skip' || action === 'stop') this.done(delivery.message);
      else if (action === 'retry') effects.push(...this.again(delivery));
      else effects.push(park(delivery, `Client explicitly NAK'ed message.\n${reason}`));
    }
    return [...effects, ...this.dispatch(nowMs)];
  }

  /** Retries messages whose consumers took too long. */
  ticked(nowMs: number): Effect[] {
    const effects: Effect[] = [];
    for (const consumer of this.consumers) {
      for (const { message, dueAtMs } of [...consumer.deliveries()]) {
        if (dueAtMs > nowMs) continue;
        const delivery = this.release(consumer, message.id, nowMs);
        if (delivery !== undefined) effects.push(...this.again(delivery));
      }
    }
    return [...effects, ...this.dispatch(nowMs)];
  }

  parked(message: GroupMessage): void {
    this.done(message);
  }

  /** The message could not be parked: it is delivered again rather than lost. */
  notParked(waiting: WaitingMessage, nowMs: number): Effect[] {
    this.waiting.addAgain(waiting);
    return this.dispatch(nowMs);
  }

  private dispatch(nowMs: number): Effect[] {
    const effects: Effect[] = [];
    if (this.consumers.size === 0) return effects;
    const dueAtMs = nowMs + this.settings.messageTimeoutMs;
    for (const waiting of this.waiting) {
      const consumer = this.strategy.choose(waiting.message);
      if (consumer === 'full') break;
      if (consumer === 'skip') continue;
      this.waiting.delete(waiting);
      const delivery = { ...waiting, consumer, sentAtMs: nowMs, dueAtMs };
      consumer.take(delivery);
      this.delivered += 1;
      effects.push({ kind: 'deliver', delivery });
    }
    return effects;
  }

  /** A late answer applies to the message wherever it is in flight now, as in EventStoreDB. */
  private release(answering: Consumer, id: string, nowMs: number): Delivery | undefined {
    const holder = answering.has(id) ? answering : [...this.consumers].find((consumer) => consumer.has(id));
    const delivery = holder?.release(id, nowMs);
    if (holder !== undefined && delivery !== undefined) this.strategy.released(holder, delivery.message);
    return delivery;
  }

  private again(delivery: Delivery): Effect[] {
    const { message, retryCount } = delivery;
    const { maxRetryCount } = this.settings;
    if (retryCount >= maxRetryCount) return [park(delivery, `Reached retry count of ${maxRetryCount}`)];
    this.waiting.addAgain({ message, retryCount: retryCount + 1 });
    return [];
  }

  private done({ isReplayed, place }: GroupMessage): void {
    if (isReplayed) this.replay.completed(place);
    else this.progress.completed(place);
  }
}

function park({ message, retryCount }: Delivery, reason: string): Effect {
  return { kind: 'park', message, retryCount, reason };
}
