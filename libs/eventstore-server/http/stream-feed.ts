import { type LogEvent, type StreamDescription, TICKS_PER_MS } from '@app/stores/sqlite';
import type { ServerContext } from '../context';
import { MAX_REVISION } from '../errors';
import { LinkResolver } from '../reads/links';
import { type Answer, json, text } from './answer';

const PAGE_EVENTS = 20;
const MAX_PAGE_EVENTS = 1_000;

/** `/streams/<name>`, `…/<revision or head>` and `…/<revision or head>/<forward or backward>/<count>`, as JSON. */
export function answerStream({ log }: ServerContext, url: URL): Answer {
  const [name = '', at, direction = 'backward', countText = String(PAGE_EVENTS), ...more] = url.pathname
    .split('/')
    .slice(2)
    .map((part) => decodeURIComponent(part));
  const from = at === undefined || at === 'head' ? MAX_REVISION : revision(at);
  const count = Number(countText);
  const isPage = (direction === 'forward' || direction === 'backward') && count >= 1 && count <= MAX_PAGE_EVENTS;
  if (name === '' || more.length > 0 || from === null || !Number.isInteger(count) || !isPage)
    return text(404, 'Not found');
  const stream = log.describeStream(name);
  if (stream.state === 'tombstoned') return text(410, `Event stream '${name}' is deleted.`);
  if (stream.state === 'absent') return text(404, `Event stream '${name}' is not there.`);
  const links = new LinkResolver(log, true);
  const isOne = at !== undefined && url.pathname.split('/').length === 4;
  const way = direction === 'forward' && !isOne ? 'forwards' : 'backwards';
  const { events } = log.readStreamPage(stream, { direction: way, from, maxCount: isOne ? 1 : count });
  if (!isOne)
    return json(
      200,
      feed(
        stream,
        events.map((event) => [event, links.resolve(event).event]),
        url,
      ),
    );
  const [found] = events;
  if (found === undefined || (at !== 'head' && found.revision !== from)) return text(404, 'Not found');
  const { data, isJson } = links.resolve(found).event ?? found;
  const body = Buffer.from(data).toString('utf8');
  return { status: 200, type: isJson ? 'application/json; charset=utf-8' : 'application/octet-stream', body };
}

type Entry = readonly [event: LogEvent, target: LogEvent | null];

/** Newest first, as in feeds. */
function feed(stream: StreamDescription, found: readonly Entry[], url: URL): object {
  const entries = found.toSorted(([a], [b]) => Number(b.revision - a.revision));
  const [newest] = entries[0] ?? [];
  const [oldest] = entries.at(-1) ?? [];
  const self = `${url.origin}/streams/${encodeURIComponent(stream.name)}`;
  const link = (relation: string, path: string) => ({ uri: `${self}${path}`, relation });
  const hasOlder = oldest !== undefined && oldest.revision > stream.firstRevision;
  return {
    title: `Event stream '${stream.name}'`,
    id: self,
    updated: newest === undefined ? null : time(newest),
    streamId: stream.name,
    author: { name: 'EventStore' },
    headOfStream: newest?.revision === stream.lastRevision,
    selfUrl: self,
    eTag: String(stream.lastRevision),
    links: [
      link('self', ''),
      link('first', `/head/backward/${PAGE_EVENTS}`),
      ...(hasOlder ? [link('next', `/${oldest.revision - 1n}/backward/${PAGE_EVENTS}`)] : []),
      ...(newest === undefined ? [] : [link('previous', `/${newest.revision + 1n}/forward/${PAGE_EVENTS}`)]),
    ],
    entries: entries.map((entry) => describeEntry(entry, self, url.searchParams.get('embed') === 'body')),
  };
}

function describeEntry([event, target]: Entry, self: string, isEmbedded: boolean): object {
  const shown = target ?? event;
  const id = `${self}/${event.revision}`;
  const entry = {
    title: `${shown.revision}@${shown.streamName}`,
    id,
    updated: time(event),
    author: { name: 'EventStore' },
    summary: shown.type,
    links: [
      { uri: id, relation: 'edit' },
      { uri: id, relation: 'alternate' },
    ],
  };
  if (!isEmbedded) return entry;
  const position = { positionEventNumber: Number(event.revision), positionStreamId: event.streamName };
  return {
    ...{ eventId: shown.id, eventType: shown.type, eventNumber: Number(shown.revision), streamId: shown.streamName },
    ...{ isJson: shown.isJson, isMetaData: shown.metadata.length > 0, isLinkMetaData: shown !== event },
    data: Buffer.from(shown.data).toString(shown.isJson ? 'utf8' : 'base64'),
    ...(shown.metadata.length > 0 ? { metaData: Buffer.from(shown.metadata).toString('utf8') } : {}),
    ...position,
    ...entry,
  };
}

function time({ createdTicks }: LogEvent): string {
  return new Date(Number(createdTicks / TICKS_PER_MS)).toISOString();
}

function revision(digits: string): bigint | null {
  if (!/^[0-9]{1,19}$/.test(digits)) return null;
  const value = BigInt(digits);
  return value > MAX_REVISION ? null : value;
}
