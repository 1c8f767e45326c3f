import { METADATA_PREFIX, METADATA_TYPE, type StreamDescription, truncatedBefore } from '@app/stores/sqlite';
import { isoTime } from '@app/event-sourcing';
import type { ServerContext } from '../../context';
import { LINK_TYPE, LinkResolver, linkTo } from '../../reads/links';
import { type GroupIdentity, parkedStream } from '../group-identity';
import { type GroupMessage, groupMessage, originalOf } from '../state/message';
import { LatestWrite } from './latest-write';

/** A page of parked messages. */
export interface ParkedPage {
  readonly messages: readonly GroupMessage[];
  /** Revision at which the next page begins; null after the last one. */
  readonly next: bigint | null;
}

/** Parked messages, as links in a stream of their own. */
export class ParkedMessages {
  private readonly streamName: string;
  private readonly truncations: LatestWrite<bigint>;

  constructor(
    private readonly context: ServerContext,
    group: GroupIdentity,
  ) {
    this.streamName = parkedStream(group);
    this.truncations = new LatestWrite(
      (revision) => this.truncate(revision),
      (error) => context.report.failure(this.streamName, error),
    );
  }

  async add({ resolved }: GroupMessage, reason: string): Promise<void> {
    const { log, random, clock } = this.context;
    const metadata = {
      added: isoTime(clock.nowMs()),
      reason,
      subscriptionEventNumber: Number(originalOf(resolved).revision),
    };
    const data = resolved.event === null ? originalOf(resolved).data : Buffer.from(linkTo(resolved.event));
    const event = { id: random.uuid(), type: LINK_TYPE, isJson: false, data };
    await log.append(this.streamName, 'any', [{ ...event, metadata: Buffer.from(JSON.stringify(metadata)) }]);
  }

  get count(): number {
    const { state, firstRevision, lastRevision } = this.describe();
    return state === 'existing' ? Math.max(0, Number(lastRevision - firstRevision + 1n)) : 0;
  }

  /** The end of a replay of everything parked now. */
  get end(): bigint {
    return this.describe().lastRevision + 1n;
  }

  /** Messages from a revision (inclusive) to another (exclusive), without those whose events are no longer readable. */
  page(from: bigint, until: bigint, maxCount: number): ParkedPage {
    const { log } = this.context;
    const { events, next } = log.readStreamPage(this.describe(), { direction: 'forwards', from, maxCount });
    const links = new LinkResolver(log, true);
    const messages = events
      .filter(({ revision }) => revision < until)
      .map((event) => ({ resolved: links.resolve(event), revision: event.revision }))
      .filter(({ resolved }) => resolved.event !== null)
      .map(({ resolved, revision }) => groupMessage(resolved, revision, true));
    return { messages, next: next === null || next >= until ? null : next };
  }

  /** Messages before this revision are no longer parked. */
  removeBefore(revision: bigint): void {
    this.truncations.set(revision);
  }

  settled(): Promise<void> {
    return this.truncations.settled();
  }

  private async truncate(revision: bigint): Promise<void> {
    const { log, random } = this.context;
    const metadataStream = METADATA_PREFIX + this.streamName;
    const stream = log.describeStream(metadataStream);
    const last = stream.state === 'existing' ? log.readEvent(stream, stream.lastRevision) : null;
    const data = truncatedBefore(last?.data ?? new Uint8Array(0), revision);
    const event = { id: random.uuid(), type: METADATA_TYPE, isJson: true, data };
    await log.append(metadataStream, 'any', [{ ...event, metadata: new Uint8Array(0) }]);
  }

  private describe(): StreamDescription {
    return this.context.log.describeStream(this.streamName);
  }
}
