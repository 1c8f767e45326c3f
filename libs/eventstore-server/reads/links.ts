import type { EventLog, LogEvent, StreamDescription } from '@app/storage/embedded';
import type { ResolvedEvent } from '../wire/read-event';

/** An event that stands for another one: its data is `<revision>@<stream>`. */
export const LINK_TYPE = '$>';

/** A link as it is written. */
export function linkTo({ streamName, revision }: LogEvent): string {
  return `${revision}@${streamName}`;
}

/** Puts the events that links stand for in their place, for one page: what it learns about streams ages. */
export class LinkResolver {
  private readonly streams = new Map<string, StreamDescription>();

  constructor(
    private readonly log: EventLog,
    private readonly isWanted: boolean,
  ) {}

  resolve(event: LogEvent): ResolvedEvent {
    const { position } = event;
    if (!this.isWanted || event.type !== LINK_TYPE) return { event, link: null, position };
    return { event: this.target(event), link: event, position };
  }

  /** Null when it is deleted, truncated or was never there. */
  private target({ data }: LogEvent): LogEvent | null {
    const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
    const [, digits, streamName] = /^([0-9]{1,19})@([^]+)$/.exec(text) ?? [];
    if (digits === undefined || streamName === undefined) return null;
    const stream = this.streams.get(streamName) ?? this.log.describeStream(streamName);
    this.streams.set(streamName, stream);
    const revision = BigInt(digits);
    if (revision > stream.lastRevision) return null;
    const page = this.log.readStreamPage(stream, { direction: 'forwards', from: revision, maxCount: 1 });
    const [found] = page.events;
    return found?.revision === revision ? found : null;
  }
}
