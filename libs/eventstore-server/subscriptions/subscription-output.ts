import type { LogEvent } from '@app/stores/sqlite';
import { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { CallSink } from '../calls';
import type { ServerContext } from '../context';
import { LinkResolver } from '../reads/links';
import type { CommonReadOptions } from '../reads/read-options';
import { writeReadEvent } from '../wire/read-event';

/** Events per page. A live subscriber that is further behind is catching up again. */
export const PAGE_EVENTS = 256;

export interface SubscriptionOptions extends CommonReadOptions {
  readonly start: 'start' | 'end' | bigint;
  readonly sink: CallSink<ReadResp>;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
}

/**
 * What a subscriber receives. Each call waits until the client has room; all throw CallEndedError once the call has
 * ended.
 */
export class SubscriptionOutput {
  constructor(
    private readonly context: ServerContext,
    private readonly options: SubscriptionOptions,
  ) {}

  async confirm(): Promise<void> {
    const confirmation = new ReadResp.SubscriptionConfirmation().setSubscriptionId(this.context.random.uuid());
    await this.options.sink.write(new ReadResp().setConfirmation(confirmation));
  }

  /** For the events of one page. */
  links(): LinkResolver {
    return new LinkResolver(this.context.log, this.options.resolveLinks);
  }

  event(event: LogEvent, links: LinkResolver): Promise<void> | undefined {
    return this.options.sink.write(writeReadEvent(links.resolve(event), this.options.uuids));
  }

  async checkpoint(position: bigint): Promise<void> {
    const at = String(position);
    const checkpoint = new ReadResp.Checkpoint().setCommitPosition(at).setPreparePosition(at);
    await this.options.sink.write(new ReadResp().setCheckpoint(checkpoint));
  }

  async caughtUp(): Promise<void> {
    await this.options.sink.write(new ReadResp().setCaughtUp(new ReadResp.CaughtUp()));
  }
}
