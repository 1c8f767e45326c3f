import { type EventLog, type LogEvent, type LogFilter, METADATA_PREFIX, whole } from '@app/stores/sqlite';
import { compileFilter, type FilterDescription, isVisible, NO_FILTER } from '../reads/event-filter';
import { LinkResolver } from '../reads/links';
import { type GroupIdentity, isToAll, type Place, type StartFrom } from './group-identity';
import { type GroupMessage, groupMessage } from './state/message';

/** The next page of a group's source. */
export interface SourcePage {
  readonly messages: readonly GroupMessage[];
  /** The last place considered; the next page begins after it. */
  readonly reached: Place;
  /** The number of events in between that the group's filter skipped. */
  readonly passedOver: number;
  /** Whether the end was reached. */
  readonly isAtEnd: boolean;
}

/** Where a group's events come from. */
export interface Source {
  /** Place of the last event; null if there is none. */
  readonly end: Place | null;
  read(options: SourceRead): SourcePage;
}

export interface SourceRead {
  readonly after: Place;
  readonly maxCount: number;
  /** Whether the last read reached the end. */
  readonly isLive: boolean;
  /** Whether it has reached the end and kept up since, so that what it reads now was appended while it followed. */
  readonly isFollowing: boolean;
}

export interface SourceOptions {
  readonly filter: FilterDescription | null;
  readonly resolveLinks: boolean;
}

/** @throws ProtocolError for an invalid filter. */
export function openSource(log: EventLog, group: GroupIdentity, options: SourceOptions): Source {
  return isToAll(group) ? new AllSource(log, options) : new StreamSource(log, group.source, options.resolveLinks);
}

/** The place after which a group created now starts. */
export function firstAfter(log: EventLog, group: GroupIdentity, startFrom: StartFrom): Place {
  if (startFrom === 'end') return isToAll(group) ? log.lastPosition : log.describeStream(group.source).lastRevision;
  const first = isToAll(group) ? 1n : 0n;
  return startFrom === 'start' || startFrom < first ? first - 1n : startFrom - 1n;
}

class StreamSource implements Source {
  /** Tombstoned before the group followed it: not even the tombstone is delivered. */
  private readonly isEnded: boolean;

  constructor(
    private readonly log: EventLog,
    private readonly name: string,
    private readonly resolveLinks: boolean,
  ) {
    this.isEnded = log.describeStream(name).state === 'tombstoned';
  }

  get end(): Place | null {
    const { state, lastRevision } = this.log.describeStream(this.name);
    return state === 'existing' && lastRevision >= 0n ? lastRevision : null;
  }

  /** Events appended while the group follows are delivered, even if the stream does not retain them. */
  read({ after, maxCount, isFollowing }: SourceRead): SourcePage {
    const described = this.log.describeStream(this.name);
    const stream = isFollowing ? whole(described) : described;
    if (this.isEnded || stream.lastRevision <= after || stream.state === 'tombstoned') {
      return { messages: [], reached: after, passedOver: 0, isAtEnd: true };
    }
    const page = this.log.readStreamPage(stream, { direction: 'forwards', from: after + 1n, maxCount });
    const links = new LinkResolver(this.log, this.resolveLinks);
    const messages = page.events.map((event) => groupMessage(links.resolve(event), event.revision));
    // Unreadable events lie before the next page, or before the end.
    const reached = page.next === null ? stream.lastRevision : page.next - 1n;
    return { messages, reached, passedOver: 0, isAtEnd: page.next === null };
  }
}

class AllSource implements Source {
  private readonly filter: LogFilter;
  private readonly resolveLinks: boolean;
  private seen = 0;

  constructor(
    private readonly log: EventLog,
    { filter, resolveLinks }: SourceOptions,
  ) {
    this.filter = withoutOwnMetadata(filter === null ? NO_FILTER : compileFilter(filter));
    this.resolveLinks = resolveLinks;
  }

  get end(): Place | null {
    return this.log.lastPosition === 0n ? null : this.log.lastPosition;
  }

  /**
   * Far behind, the log's index finds the events of the wanted streams, and everything between them counts as skipped.
   * At the end each event is considered: those that groups write must not count, or each checkpoint would cause the
   * next.
   */
  read({ after, maxCount, isLive }: SourceRead): SourcePage {
    this.seen = 0;
    const page = this.log.readAllPage({ after, filter: isLive ? this.counting() : this.filter, maxCount });
    const links = new LinkResolver(this.log, this.resolveLinks);
    const messages = page.events.map((event) => groupMessage(links.resolve(event), event.position));
    const considered = isLive ? this.seen : Number(page.position - after);
    return {
      messages,
      reached: page.position,
      passedOver: Math.max(0, considered - messages.length),
      isAtEnd: page.caughtUp,
    };
  }

  private counting(): LogFilter {
    const { accepts, streamPrefixes, isLongEnough } = this.filter;
    return {
      streamPrefixes: [''],
      isLongEnough,
      accepts: (event) => {
        if (isOfGroup(event)) return false;
        this.seen += 1;
        const isInPart = streamPrefixes.some((prefix) => event.streamName.startsWith(prefix));
        return isInPart && accepts?.(event) !== false;
      },
    };
  }
}

/** The streams that groups on `$all` write for themselves, and their metadata streams. */
function isOfGroup({ streamName }: Pick<LogEvent, 'streamName'>): boolean {
  return !isVisible(streamName.startsWith(METADATA_PREFIX) ? streamName.slice(METADATA_PREFIX.length) : streamName);
}

function withoutOwnMetadata(filter: LogFilter): LogFilter {
  return { ...filter, accepts: (event) => !isOfGroup(event) && filter.accepts?.(event) !== false };
}
