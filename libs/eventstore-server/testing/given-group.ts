import type { LogEvent } from '@app/stores/sqlite';
import { dispatchStrategy } from '../persistent-subscriptions/dispatch/strategies';
import type { GroupSettings } from '../persistent-subscriptions/group-settings';
import { Consumer } from '../persistent-subscriptions/state/consumer';
import { type Effect, GroupState } from '../persistent-subscriptions/state/group-state';
import { type GroupMessage, groupMessage } from '../persistent-subscriptions/state/message';

export const settings: GroupSettings = {
  resolveLinks: false,
  extraStatistics: false,
  messageTimeoutMs: 1_000,
  maxRetryCount: 2,
  liveBufferSize: 10,
  readBatchSize: 4,
  historyBufferSize: 20,
  checkpointAfterMs: 2_000,
  minCheckpointCount: 10,
  maxCheckpointCount: 1_000,
  maxSubscriberCount: 0,
  strategy: 'RoundRobin',
};

export function message(
  place: number,
  { stream = 'a', type = 'T', data = '', metadata = '', id = `id-${place}`, isReplayed = false, bytes = 0 } = {},
): GroupMessage {
  const event: LogEvent = {
    id,
    type,
    isJson: true,
    data: Buffer.from(data.padEnd(bytes)),
    metadata: Buffer.from(metadata),
    streamName: stream,
    revision: BigInt(place),
    position: BigInt(place) + 1n,
    createdTicks: 0n,
  };
  return groupMessage({ event, link: null, position: event.position }, BigInt(place), isReplayed);
}

export const messages = (from: number, count: number) => Array.from({ length: count }, (_, n) => message(from + n));

/** A group's state with named consumers and its own clock. */
export class GivenGroup {
  readonly state: GroupState;
  readonly consumers = new Map<string, Consumer>();
  nowMs = 0;

  constructor(changes: Partial<GroupSettings> = {}) {
    const all = { ...settings, ...changes };
    this.state = new GroupState(all, dispatchStrategy(all.strategy), null);
  }

  connect(name: string, capacity = 100): string[] {
    const consumer = new Consumer(capacity);
    this.consumers.set(name, consumer);
    return this.told(this.state.connected(consumer, this.nowMs));
  }

  disconnect(name: string): string[] {
    return this.told(this.state.disconnected(this.consumer(name), this.nowMs));
  }

  arrive(...arriving: readonly GroupMessage[]): string[] {
    return this.told(this.state.arrived(arriving, this.nowMs));
  }

  replay(...replayed: readonly GroupMessage[]): string[] {
    return this.told(this.state.replayed(replayed, this.nowMs));
  }

  ack(name: string, ...places: readonly number[]): string[] {
    return this.told(this.state.acknowledged(this.consumer(name), places.map(id), this.nowMs));
  }

  nack(name: string, action: 'retry' | 'park' | 'skip' | 'stop', ...places: readonly number[]): string[] {
    const what = { action, reason: 'why', nowMs: this.nowMs };
    return this.told(this.state.rejected(this.consumer(name), places.map(id), what));
  }

  after(ms: number): string[] {
    this.nowMs += ms;
    return this.told(this.state.ticked(this.nowMs));
  }

  /** `a<5#1`: consumer `a` gets the message at 5 with retry count 1. */
  told(effects: readonly Effect[]): string[] {
    return effects.map((effect) => {
      if (effect.kind === 'park') return `park ${effect.message.place}: ${effect.reason}`;
      const { consumer, message: delivered, retryCount } = effect.delivery;
      const [name] = [...this.consumers].find(([, each]) => each === consumer) ?? ['?'];
      return `${name}<${delivered.place}${retryCount === 0 ? '' : `#${retryCount}`}`;
    });
  }

  private consumer(name: string): Consumer {
    const consumer = this.consumers.get(name);
    if (consumer === undefined) throw new Error(`There is no consumer ${name}`);
    return consumer;
  }
}

const id = (place: number) => `id-${place}`;
