import {
  type AppendResult,
  AssertionFailedError,
  type Clock,
  type EventBatch,
  EventStore,
  type EventFilter,
  EventStoreUnavailableError,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  StreamDeletedError,
} from '@app/event-sourcing';
import { CliError, EXIT } from '../cli-error';

/** A page with 512 KiB of events over a slow line. */
const TIMEOUT_MS = 60_000;
/** How often a request that the service did not answer, or put off, is repeated. */
const MAX_ATTEMPTS = 8;
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
const PAGE_EVENTS = 500;

interface EventBody extends Omit<RecordedEvent, 'position'> {
  readonly position: string;
}

interface Page {
  readonly items: readonly EventBody[];
  readonly nextCursor: string | null;
}

type Answer<T> = { readonly body: T } | { readonly code: string };

/**
 * The log of a running service, read over its API for auditors, up to its end at the first read: what is read is
 * recorded in it, and would have no end.
 */
export class ServiceEventStore extends EventStore {
  private end: Promise<bigint | null> | null = null;

  /** @param url without a trailing slash */
  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async readStream(streamId: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    const { direction = 'forwards', from, maxCount = Infinity } = options;
    // Such a name has no path.
    if (!/^[A-Za-z0-9._~-]+$/.test(streamId)) return this.readOddStream(streamId, options);
    const parameters = { direction, ...(from === undefined ? {} : { from: String(from) }) };
    const events: RecordedEvent[] = [];
    for await (const page of this.pages(`/streams/${streamId}/events`, parameters, maxCount)) {
      if (page === 'HISTORY_DAMAGED') throw new StreamDeletedError(streamId);
      events.push(...page);
      if (events.length >= maxCount) break;
    }
    return events.slice(0, maxCount);
  }

  /** @returns whether none of its events can be read because they were deleted. */
  override async wasDeletedFrom(streamId: string): Promise<boolean> {
    try {
      await this.readStream(streamId, { maxCount: 1 });
      return false;
    } catch (error) {
      if (error instanceof StreamDeletedError) return true;
      throw error;
    }
  }

  override async readAll({ after, filter, maxCount }: ReadAllOptions): Promise<EventBatch> {
    const end = await this.head();
    const isAtEnd = (position: bigint | null) => end === null || (position ?? -1n) >= end;
    const atEnd = (events: readonly RecordedEvent[]) => ({ events, position: end, caughtUp: true });
    if (isAtEnd(after)) return atEnd([]);
    const [stream = ''] = filter.streamPrefixes.length === 1 ? filter.streamPrefixes : [];
    const parameters = { ...(after === null ? {} : { after: String(after) }), ...(stream === '' ? {} : { stream }) };
    const events: RecordedEvent[] = [];
    // Of what is filtered here, a page may hold nothing.
    const isFilteredThere = filter.types === undefined && filter.streamPrefixes.length === 1;
    for await (const page of this.pages('/events', parameters, isFilteredThere ? maxCount : PAGE_EVENTS)) {
      if (page === 'HISTORY_DAMAGED') throw new EventStoreUnavailableError('The service refuses to read its log');
      for (const event of page) {
        if (end === null || event.position > end) return atEnd(events);
        if (matches(event, filter)) events.push(event);
        const { position } = event;
        if (events.length === maxCount) return { events, position, caughtUp: isAtEnd(position) };
      }
    }
    return atEnd(events);
  }

  /** What is stored; then nothing more comes. */
  override async *subscribe({
    after,
    filter,
    maxBatch,
    signal,
  }: {
    readonly after: bigint | null;
    readonly filter: EventFilter;
    readonly maxBatch: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<EventBatch, void, undefined> {
    for (let position = after; !signal.aborted;) {
      const batch = await this.readAll({ after: position, filter, maxCount: maxBatch });
      ({ position } = batch);
      yield batch;
      if (batch.caughtUp) return;
    }
  }

  override head(): Promise<bigint | null> {
    this.end ??= this.get<{ readonly position: string | null }>('/head').then((answer) => {
      if ('code' in answer) throw new CliError(`The service at ${this.url} refuses to be read (${answer.code}).`);
      return answer.body.position === null ? null : BigInt(answer.body.position);
    });
    return this.end;
  }

  /** Always fails: an auditor only reads. */
  override append(): Promise<AppendResult> {
    return Promise.reject(new AssertionFailedError('an auditor writes nothing'));
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  private async readOddStream(streamId: string, { direction, from, maxCount }: ReadStreamOptions) {
    const filter = { streamPrefixes: [streamId] };
    const { events } = await this.readAll({ after: null, filter, maxCount: Number.MAX_SAFE_INTEGER });
    const own = events.filter((event) => event.streamId === streamId);
    const ordered = direction === 'backwards' ? own.toReversed() : own;
    const isWanted = ({ revision }: RecordedEvent) =>
      from === undefined || (direction === 'backwards' ? revision <= from : revision >= from);
    return ordered.filter(isWanted).slice(0, maxCount);
  }

  /** All pages, for as long as the caller wants them. */
  private async *pages(
    path: string,
    asked: Readonly<Record<string, string>>,
    maxCount: number,
  ): AsyncGenerator<readonly RecordedEvent[] | 'HISTORY_DAMAGED', void, undefined> {
    const parameters = new URLSearchParams({ ...asked, limit: String(Math.min(PAGE_EVENTS, maxCount)) });
    for (;;) {
      const answer = await this.get<Page>(`${path}?${parameters.toString()}`);
      if ('code' in answer) return yield 'HISTORY_DAMAGED';
      const { items, nextCursor } = answer.body;
      yield items.map((event) => ({ ...event, position: BigInt(event.position) }));
      if (nextCursor === null) return;
      parameters.set('cursor', nextCursor);
      parameters.delete('after');
      parameters.delete('from');
    }
  }

  /** Repeats what was put off or not answered. @throws CliError, EventStoreUnavailableError */
  private async get<T>(path: string): Promise<Answer<T>> {
    let why = '';
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const response = await this.ask(path);
      if (typeof response !== 'string') {
        const { status, text, retryAfterMs } = response;
        if (status === 200) return { body: JSON.parse(text) as T };
        const code = codeIn(text);
        if (code === 'HISTORY_DAMAGED') return { code };
        if (status === 401) throw refused(this.url);
        why = `${status} ${code}`;
        if (status !== 429 && status !== 503) throw new CliError(`The service at ${this.url} answered ${why}.`);
        await this.clock.sleep(Math.min(MAX_RETRY_MS, retryAfterMs ?? RETRY_MS));
      } else {
        why = response;
        await this.clock.sleep(RETRY_MS);
      }
    }
    throw new CliError(`The service at ${this.url} does not answer (${why}).`, EXIT.unreachable);
  }

  /** The reason if there was no answer. */
  private async ask(path: string) {
    const { signal, clear } = this.clock.deadline(TIMEOUT_MS);
    try {
      const headers = { Authorization: `Bearer ${this.token}` };
      const response = await fetch(`${this.url}/audit/v1${path}`, { redirect: 'manual', signal, headers });
      const retryAfter = Number(response.headers.get('Retry-After') ?? NaN);
      const retryAfterMs = Number.isNaN(retryAfter) ? null : retryAfter * 1_000;
      return { status: response.status, text: await response.text(), retryAfterMs };
    } catch (error) {
      const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
      return cause?.code ?? cause?.message ?? message;
    } finally {
      clear();
    }
  }
}

function matches({ streamId, type }: RecordedEvent, { streamPrefixes, types }: EventFilter): boolean {
  return (types?.includes(type) ?? true) && streamPrefixes.some((prefix) => streamId.startsWith(prefix));
}

function refused(url: string): CliError {
  return new CliError(
    `The service at ${url} does not take the token in AUDITOR_TOKEN: it is wrong, expired or revoked.`,
  );
}

function codeIn(text: string): string {
  try {
    return (JSON.parse(text) as { error: { code: string } }).error.code;
  } catch {
    return 'in a way that it never should';
  }
}
