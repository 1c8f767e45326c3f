import { type LogEvent, nextTurn } from '@app/stores/sqlite';
import { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { type CallSink, serverStreaming } from '../calls';
import type { ServerContext } from '../context';
import { invalidArgument, MAX_REVISION, streamDeleted } from '../errors';
import { subscribeToAll } from '../subscriptions/all-subscription';
import { subscribeToStream } from '../subscriptions/stream-subscription';
import { writeReadEvent } from '../wire/read-event';
import { readStreamName, writeStreamName } from '../wire/stream-name';
import { NO_FILTER, readFilter } from './event-filter';
import { LinkResolver } from './links';
import { checkCombination, type CommonReadOptions, commonOptions, startOfAll, startOfStream } from './read-options';
import { firstPositions } from './stream-positions';

/** Events read in one turn of the event loop. */
const PAGE_EVENTS = 256;
/** EventStoreDB's page size; for empty pages it reports where the next one begins. */
const TOLD_PAGE_EVENTS = 32n;

/** Reads and subscriptions, to one stream or `$all`: one method in the protocol. */
export function read(context: ServerContext) {
  return serverStreaming<ReadReq, ReadResp>(context, async (request, sink, signal) => {
    const common = commonOptions(request);
    const { options } = common;
    checkCombination(options);
    const stream = options.getStream();
    const all = options.getAll();
    if (stream !== undefined) {
      const name = readStreamName(stream.getStreamIdentifier());
      const start = startOfStream(stream);
      if (options.hasSubscription()) return subscribeToStream(context, { ...common, name, start, sink, signal });
      return new StreamRead(context, common, sink).run(name, start);
    }
    const start = startOfAll(all ?? new ReadReq.Options.AllOptions());
    if (options.hasSubscription()) return subscribeToAll(context, { ...common, start, sink, signal });
    return new AllRead(context, common, sink).run(start);
  });
}

/** Delivers events until the client has the requested number. */
class CountedOutput {
  left: bigint;

  constructor(
    private readonly context: ServerContext,
    protected readonly common: CommonReadOptions,
    private readonly sink: CallSink<ReadResp>,
  ) {
    this.left = BigInt(common.options.getCount());
  }

  get isDone(): boolean {
    return this.left <= 0n;
  }

  get pageSize(): number {
    return this.left < PAGE_EVENTS ? Number(this.left) : PAGE_EVENTS;
  }

  async give(events: readonly LogEvent[]): Promise<void> {
    const links = new LinkResolver(this.context.log, this.common.resolveLinks);
    for (const event of events) {
      const wait = this.sink.write(writeReadEvent(links.resolve(event), this.common.uuids));
      if (wait !== undefined) await wait;
      this.left -= 1n;
    }
  }
}

class StreamRead {
  private readonly output: CountedOutput;

  constructor(
    private readonly context: ServerContext,
    private readonly common: CommonReadOptions,
    private readonly sink: CallSink<ReadResp>,
  ) {
    this.output = new CountedOutput(context, common, sink);
  }

  async run(name: string, start: 'start' | 'end' | bigint): Promise<void> {
    const { log } = this.context;
    const { direction } = this.common;
    const stream = log.describeStream(name);
    if (stream.state === 'tombstoned') throw streamDeleted(name);
    if (stream.state === 'absent') {
      const notFound = new ReadResp.StreamNotFound().setStreamIdentifier(writeStreamName(name));
      await this.sink.write(new ReadResp().setStreamNotFound(notFound));
      return;
    }
    let from: bigint | null = revision(start);
    const { compatibility = 0 } = this.common.options.getControlOption()?.toObject() ?? {};
    const tellsPositions = compatibility >= 1 && !this.output.isDone;
    if (tellsPositions && direction === 'forwards') {
      const pageSize = this.output.left < TOLD_PAGE_EVENTS ? this.output.left : TOLD_PAGE_EVENTS;
      for (const first of await firstPositions(log, stream, { from, pageSize })) {
        await this.sink.write(new ReadResp().setFirstStreamPosition(String(first)));
      }
    }
    while (from !== null && !this.output.isDone) {
      const page = log.readStreamPage(stream, { direction, from, maxCount: this.output.pageSize });
      await this.output.give(page.events);
      from = page.next;
      if (from !== null) await nextTurn();
    }
    if (tellsPositions) await this.sink.write(new ReadResp().setLastStreamPosition(String(stream.lastRevision)));
  }
}

class AllRead {
  private readonly output: CountedOutput;

  constructor(
    private readonly context: ServerContext,
    private readonly common: CommonReadOptions,
    sink: CallSink<ReadResp>,
  ) {
    this.output = new CountedOutput(context, common, sink);
  }

  run(start: 'start' | 'end' | bigint): Promise<void> {
    const last = this.context.log.lastPosition;
    const { direction } = this.common;
    if (direction === 'backwards' && typeof start === 'bigint' && start > last) {
      throw invalidArgument(`Position ${start} is beyond the log's end`);
    }
    // Forwards the position is inclusive, backwards exclusive.
    if (direction === 'backwards') return this.backwards(start === 'start' ? 0n : start === 'end' ? last + 1n : start);
    return this.forwards(start === 'start' ? 0n : start === 'end' ? last : start - 1n);
  }

  private async forwards(after: bigint): Promise<void> {
    const { log } = this.context;
    const filter = this.filter();
    for (let isAtEnd = false; !isAtEnd && !this.output.isDone;) {
      const page = log.readAllPage({ after, filter, maxCount: this.output.pageSize });
      await this.output.give(page.events);
      after = page.position;
      isAtEnd = page.caughtUp;
      if (!isAtEnd) await nextTurn();
    }
  }

  private async backwards(before: bigint): Promise<void> {
    const { log } = this.context;
    const { accepts, streamPrefixes, isLongEnough } = this.filter();
    while (before > 1n && !this.output.isDone) {
      const page = log.readAllBackwards({ before, maxCount: PAGE_EVENTS });
      const matching: LogEvent[] = [];
      for (const event of page.events) {
        const isOfStream = streamPrefixes.some((prefix) => event.streamName.startsWith(prefix));
        if (isOfStream && accepts?.(event) !== false) matching.push(event);
        if (isLongEnough?.() === true) await nextTurn();
      }
      await this.output.give(matching.slice(0, this.output.pageSize));
      before = page.position;
      await nextTurn();
    }
  }

  private filter() {
    const filter = this.common.options.getFilter();
    return filter === undefined ? NO_FILTER : readFilter(filter);
  }
}

function revision(start: 'start' | 'end' | bigint): bigint {
  return start === 'start' ? 0n : start === 'end' ? MAX_REVISION : start;
}
