import { ReadReq, type ReadResp } from '@eventstore/db-client/generated/persistent_pb';
import type { UUID } from '@eventstore/db-client/generated/shared_pb';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { type Detail, resolvedText } from './event-text';
import type { Groups, Named } from './groups';
import { type Outcome, statusText, until } from './outcome';
import type { Told } from './told';

export const { Action } = ReadReq.Nack;

type Consuming = Named & {
  readonly step?: string;
  readonly bufferSize?: number;
  readonly detail?: Detail;
  readonly metadata?: Metadata;
  /** Sent first, in place of the group's name. */
  readonly first?: (request: ReadReq) => unknown;
};

/** One consumer of a case's group: what it receives, and what it answers when the case says so. */
export class GroupConsumer {
  readonly told: Told;
  /** In order of delivery; of links, the link's own. */
  readonly ids: UUID[] = [];
  private readonly call: ReturnType<Groups['client']['read']>;

  constructor(groups: Groups, { step = 'told', bufferSize = 10, detail = 'brief', ...asked }: Consuming = {}) {
    this.told = groups.recorder.told(step);
    this.call = groups.client.read(asked.metadata ?? new Metadata());
    this.call.on('data', (message: ReadResp) => this.take(message, detail));
    this.call.on('error', (error: ServiceError) => {
      const isOwn = error.code === status.CANCELLED && error.metadata.get('exception').length === 0;
      if (!isOwn) this.told.lines.push(statusText(error));
    });
    const options = groups.name(new ReadReq.Options(), asked).setBufferSize(bufferSize);
    options.setUuidOption(new ReadReq.Options.UUIDOption().setString(new Empty()));
    const request = new ReadReq().setOptions(options);
    asked.first?.(request);
    this.call.write(request);
  }

  private take(message: ReadResp, detail: Detail): void {
    const confirmation = message.getSubscriptionConfirmation();
    const delivered = message.getEvent();
    if (confirmation !== undefined) this.told.lines.push(`confirmation ${confirmation.getSubscriptionId()}`);
    if (delivered === undefined) return;
    this.ids.push((delivered.getLink() ?? delivered.getEvent())!.getId()!);
    const retries = delivered.getRetryCount();
    const shown = resolvedText(delivered, detail);
    this.told.lines.push(retries === 0 ? shown : `${shown} #${retries}`);
  }

  /** Once this many have been delivered. */
  async delivered(count: number): Promise<void> {
    await until(() => this.ids.length >= count);
  }

  send(request: ReadReq): void {
    this.call.write(request);
  }

  ack(...ids: readonly (UUID | undefined)[]): void {
    this.send(new ReadReq().setAck(new ReadReq.Ack().setIdsList(ids.map((id) => id!))));
  }

  nack(action: number, ...ids: readonly (UUID | undefined)[]): void {
    const nack = new ReadReq.Nack().setIdsList(ids.map((id) => id!)).setReason('r');
    this.send(new ReadReq().setNack(nack.setAction(action)));
  }

  halfClose(): void {
    this.call.end();
  }

  /** Everything it received; it stays connected. */
  all(): Promise<Outcome> {
    return this.told.all();
  }

  leave(): void {
    this.call.cancel();
  }
}
