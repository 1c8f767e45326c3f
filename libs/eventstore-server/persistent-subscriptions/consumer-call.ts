import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/persistent_pb';
import type { Metadata, ServerDuplexStream } from '@grpc/grpc-js';
import { CallEndedError, callSignal, failStream } from '../calls';
import type { ServerContext } from '../context';
import { invalidArgument } from '../errors';
import type { ResolvedEvent } from '../wire/read-event';
import type { UuidFormat } from '../wire/uuid';
import type { Group, Subscriber } from './group';
import { subscriptionId } from './group-identity';
import type { PersistentSubscriptions } from './persistent-subscriptions';
import { Consumer } from './state/consumer';
import { Timings } from './state/timings';
import { readAction, readIds, writeConfirmation, writeDelivery } from './wire/messages';
import { readGroup } from './wire/requests';

/** The caller's name if there are no credentials. */
const SYSTEM = 'system';

type Call = ServerDuplexStream<ReadReq, ReadResp>;

/** One consumer of a group: its first message names the group, the others answer messages. */
export function consume(context: ServerContext, subscriptions: PersistentSubscriptions) {
  return (call: Call): void => new ConsumerCall(context, subscriptions, call).run();
}

/**
 * Deliveries are limited by what the consumer may have in flight, so a slow one holds only that, and no one waits for
 * it.
 */
class ConsumerCall implements Subscriber {
  readonly username: string;
  readonly connectionName: string;
  readonly address: string;
  private group: Group | null = null;
  private connected: Consumer | null = null;
  private uuids: UuidFormat = 'string';
  private isOver = false;
  private clear: () => void = () => undefined;

  constructor(
    private readonly context: ServerContext,
    private readonly subscriptions: PersistentSubscriptions,
    private readonly call: Call,
  ) {
    this.username = usernameOf(call.metadata) ?? SYSTEM;
    this.connectionName = String(call.metadata.get('connection-name')[0] ?? '<unknown>');
    this.address = call.getPeer();
  }

  get consumer(): Consumer {
    if (this.connected === null) throw new Error('A consumer that has not been connected yet');
    return this.connected;
  }

  run(): void {
    const { call } = this;
    const { signal, clear } = callSignal(call, this.context.stopping);
    this.clear = clear;
    signal.addEventListener('abort', () => this.drop(new CallEndedError()), { once: true });
    if (signal.aborted) this.drop(new CallEndedError());
    call.on('data', (message: ReadReq) => {
      try {
        if (!this.isOver) this.receive(message);
      } catch (error) {
        this.drop(error);
      }
    });
    // A consumer that has ended its side still gets its messages, as in EventStoreDB.
  }

  deliver(resolved: ResolvedEvent, retryCount: number): void {
    if (!this.isOver) this.call.write(writeDelivery(resolved, retryCount, this.uuids));
  }

  drop(error: unknown): void {
    if (this.leave()) failStream(this.call, this.context, this.call.getPath(), error);
  }

  private receive(message: ReadReq): void {
    const options = message.getOptions();
    const ack = message.getAck();
    const nack = message.getNack();
    if (this.group === null) {
      if (options === undefined) throw invalidArgument('A consumer says first which group it belongs to');
      this.connect(options);
    } else if (ack !== undefined) {
      this.group.acknowledge(this.consumer, readIds(ack));
    } else if (nack !== undefined) {
      this.group.reject(this.consumer, readIds(nack), readAction(nack), nack.getReason());
    } else {
      throw invalidArgument('A consumer acknowledges, or says that it does not');
    }
  }

  private connect(options: ReadReq.Options): void {
    const capacity = options.getBufferSize();
    if (capacity < 1) throw invalidArgument('The buffer of a consumer holds at least one message');
    const group = this.subscriptions.find(readGroup(options));
    const { identity, settings } = group.configuration;
    this.uuids = options.getUuidOption()?.hasStructured() === true ? 'structured' : 'string';
    this.connected = new Consumer(capacity, settings.extraStatistics ? new Timings() : null);
    group.admit();
    this.group = group;
    this.call.write(writeConfirmation(subscriptionId(identity)));
    group.connect(this);
  }

  /** False if it had already left. */
  private leave(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.clear();
    if (this.connected !== null) this.group?.disconnect(this.connected);
    return true;
  }
}

/** Authentication has already happened; this only determines the caller's name. */
function usernameOf(metadata: Metadata): string | null {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(String(metadata.get('authorization')[0])) ?? [];
  if (encoded === undefined) return null;
  const [username] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return username ?? null;
}
