import { nextTurn } from '@app/stores/sqlite';
import type { ServerContext } from '../context';
import type { ProtocolError } from '../errors';
import type { ResolvedEvent } from '../wire/read-event';
import { dispatchStrategy } from './dispatch/strategies';
import { groupDropped, groupFull } from './failures';
import type { GroupConfiguration } from './group-configuration';
import { subscriptionId } from './group-identity';
import { openSource, type Source } from './source';
import { CheckpointPolicy } from './state/checkpoint-policy';
import type { Consumer } from './state/consumer';
import { type Effect, GroupState, type NackAction } from './state/group-state';
import { ParkedMessages } from './storage/parked-messages';
import { StoredCheckpoint } from './storage/stored-checkpoint';

/** A connected consumer. */
export interface Subscriber {
  readonly consumer: Consumer;
  readonly username: string;
  readonly connectionName: string;
  readonly address: string;
  deliver(resolved: ResolvedEvent, retryCount: number): void;
  /** Its group is gone, or restarts. */
  drop(error: ProtocolError): void;
}

/** The pause after a failure of the log, in ms. */
const RETRY_MS = 1_000;

/** A running group: reads its source while there is room, delivers messages, and writes its checkpoint. */
export class Group {
  readonly parked: ParkedMessages;
  readonly checkpoint: StoredCheckpoint;
  readonly source: Source;
  readonly state: GroupState;
  readonly subscribers = new Map<Consumer, Subscriber>();
  private readonly policy: CheckpointPolicy;
  private readonly parking = new Set<Promise<void>>();
  private readonly running: Promise<void>;
  private after: bigint;
  private replayNext = 0n;
  private replayUntil = 0n;
  private removedBefore: bigint | null = null;
  private isStopped = false;
  private waitsForRoom = false;
  private wake: () => void = () => undefined;
  private isFollowing = false;
  isLive = false;
  /** Messages read while it followed the end of the source, including those no longer waiting. */
  live = 0;

  /** @throws ProtocolError for an invalid filter. */
  constructor(
    private readonly context: ServerContext,
    readonly configuration: GroupConfiguration,
  ) {
    const { identity, settings, filter, startsAfter } = configuration;
    const { resolveLinks, strategy } = settings;
    this.source = openSource(context.log, identity, { filter, resolveLinks });
    this.parked = new ParkedMessages(context, identity);
    this.checkpoint = new StoredCheckpoint(context, identity);
    this.state = new GroupState(settings, dispatchStrategy(strategy), this.checkpoint.place);
    this.policy = new CheckpointPolicy(settings);
    this.after = this.checkpoint.place ?? startsAfter;
    this.running = this.run();
  }

  get isReplaying(): boolean {
    return this.replayNext < this.replayUntil;
  }

  /** @throws ProtocolError if the group has its maximum of consumers, or is about to restart. */
  admit(): void {
    const { identity, settings } = this.configuration;
    if (this.isStopped) throw groupDropped(identity);
    const { maxSubscriberCount } = settings;
    if (maxSubscriberCount > 0 && this.subscribers.size >= maxSubscriberCount) throw groupFull(identity);
  }

  connect(subscriber: Subscriber): void {
    this.subscribers.set(subscriber.consumer, subscriber);
    this.follow(this.state.connected(subscriber.consumer, this.nowMs));
  }

  disconnect(consumer: Consumer): void {
    if (!this.subscribers.delete(consumer) || this.isStopped) return;
    this.follow(this.state.disconnected(consumer, this.nowMs));
  }

  acknowledge(consumer: Consumer, ids: readonly string[]): void {
    if (!this.isStopped) this.follow(this.state.acknowledged(consumer, ids, this.nowMs));
  }

  reject(consumer: Consumer, ids: readonly string[], action: NackAction, reason: string): void {
    if (this.isStopped) return;
    this.follow(this.state.rejected(consumer, ids, { action, reason, nowMs: this.nowMs }));
  }

  tick(): void {
    if (!this.isStopped) this.follow(this.state.ticked(this.nowMs), true);
  }

  /** Replays the messages parked now, up to a revision of the parked stream (exclusive) if given. */
  replayParked(stopAt: bigint | null): void {
    const { end } = this.parked;
    const until = stopAt === null || stopAt > end ? end : stopAt;
    if (until > this.replayUntil) this.replayUntil = until;
    this.wake();
  }

  /** Drops its consumers, with an error if given; resolves once no more writes are in progress. */
  async stop({ drop, keepsProgress }: { drop: ProtocolError | null; keepsProgress: boolean }): Promise<void> {
    this.isStopped = true;
    this.wake();
    if (drop !== null) for (const subscriber of this.subscribers.values()) subscriber.drop(drop);
    this.subscribers.clear();
    await Promise.all([this.running, ...this.parking]);
    const { place, hasCompleted } = this.state.progress;
    if (keepsProgress && hasCompleted && place !== null && place !== this.checkpoint.place) this.checkpoint.set(place);
    await Promise.all([this.checkpoint.settled(), this.parked.settled()]);
  }

  private async run(): Promise<void> {
    const { log, clock, report } = this.context;
    while (!this.isStopped) {
      const waking = new AbortController();
      this.wake = () => waking.abort();
      this.waitsForRoom = false;
      try {
        const seen = log.lastPosition;
        const next = this.read();
        if (next === 'more') await nextTurn();
        else if (next === 'wait for events') await log.committedAfter(seen, waking.signal);
        else await aborted(waking.signal);
      } catch (error) {
        if (this.isStopped) return;
        report.failure(subscriptionId(this.configuration.identity), error);
        await clock.sleep(RETRY_MS, waking.signal);
      }
    }
  }

  /** Reads one page, of parked messages first during a replay. */
  private read(): 'more' | 'wait for events' | 'wait for room' {
    const isReplaying = this.isReplaying;
    const maxCount = this.state.room(this.isLive && !isReplaying);
    if (maxCount === 0) {
      if (!isReplaying) this.isLive = this.isFollowing = false;
      this.waitsForRoom = true;
      return 'wait for room';
    }
    if (isReplaying) {
      const page = this.parked.page(this.replayNext, this.replayUntil, maxCount);
      this.replayNext = page.next ?? this.replayUntil;
      const effects = this.state.replayed(page.messages, this.nowMs);
      this.state.replay.passedOver(this.replayNext - 1n, 0);
      this.follow(effects);
      return 'more';
    }
    const { isLive, isFollowing } = this;
    const page = this.source.read({ after: this.after, maxCount, isLive, isFollowing });
    const hasMoved = page.reached > this.after;
    if (isFollowing) this.live += page.messages.length;
    this.after = page.reached;
    this.isLive = page.isAtEnd;
    this.isFollowing ||= page.isAtEnd;
    const effects = this.state.arrived(page.messages, this.nowMs);
    if (hasMoved) this.state.progress.passedOver(page.reached, page.passedOver);
    this.follow(effects);
    return page.isAtEnd ? 'wait for events' : 'more';
  }

  private follow(effects: readonly Effect[], isTick = false): void {
    for (const effect of effects) {
      if (effect.kind === 'park') {
        this.park(effect);
        continue;
      }
      const { consumer, message, retryCount } = effect.delivery;
      this.subscribers.get(consumer)?.deliver(message.resolved, retryCount);
    }
    const due = this.policy.due(this.state.progress, this.nowMs, isTick);
    if (due !== null) this.checkpoint.set(due);
    const replayed = this.state.replay.place;
    if (replayed !== null && replayed !== this.removedBefore) {
      this.removedBefore = replayed;
      this.parked.removeBefore(replayed + 1n);
    }
    if (this.waitsForRoom && this.state.room(false) > 0) this.wake();
  }

  private park({ message, retryCount, reason }: Extract<Effect, { kind: 'park' }>): void {
    const parking = this.parked.add(message, reason).then(
      () => {
        this.state.parked(message);
        this.follow([]);
      },
      (error: unknown) => {
        this.context.report.failure(subscriptionId(this.configuration.identity), error);
        if (!this.isStopped) this.follow(this.state.notParked({ message, retryCount }, this.nowMs));
      },
    );
    this.parking.add(parking);
    void parking.finally(() => this.parking.delete(parking));
  }

  private get nowMs(): number {
    return this.context.clock.monotonicMs();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
