import type { LogFilter } from '@app/storage/embedded';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import { invalidArgument } from '../errors';

/** What a persistent subscription to $all keeps of itself is not part of $all: it would feed on its own writes. */
const HIDDEN_STREAM = /^\$persistentsubscription-\$all::.*-(checkpoint|parked)$/;
const MAX_EXPRESSION_LENGTH = 2_048;
const MAX_PREFIXES = 1_024;

type Accepts = NonNullable<LogFilter['accepts']>;

/** Everything that belongs to $all. */
export const NO_FILTER: LogFilter = { streamPrefixes: [''], accepts: ({ streamName }) => isVisible(streamName) };

/** @throws ProtocolError for a filter that can't be used. */
export function readFilter(options: ReadReq.Options.FilterOptions): LogFilter {
  const byStream = options.getStreamIdentifier();
  const byType = options.getEventType();
  if (byStream !== undefined) {
    const prefixes = byStream.getPrefixList();
    const matches = matcher(byStream);
    const accepts: Accepts = ({ streamName }) => isVisible(streamName) && matches(streamName);
    // Prefixes let the log find the events by its index.
    return { streamPrefixes: prefixes.length > 0 && byStream.getRegex() === '' ? prefixes : [''], accepts };
  }
  if (byType !== undefined) {
    const matches = matcher(byType);
    return { streamPrefixes: [''], accepts: ({ streamName, type }) => isVisible(streamName) && matches(type) };
  }
  throw invalidArgument('A filter is by stream name or by event type');
}

function isVisible(streamName: string): boolean {
  return !streamName.startsWith('$p') || !HIDDEN_STREAM.test(streamName);
}

function matcher(expression: ReadReq.Options.FilterOptions.Expression): (text: string) => boolean {
  const prefixes = expression.getPrefixList();
  const source = expression.getRegex();
  if (prefixes.length > MAX_PREFIXES) throw invalidArgument(`A filter has at most ${MAX_PREFIXES} prefixes`);
  if (source !== '') {
    const regex = compile(source);
    return (text) => regex.test(text);
  }
  if (prefixes.length === 0) throw invalidArgument('A filter has prefixes or a regular expression');
  return (text) => prefixes.some((prefix) => text.startsWith(prefix));
}

/** Clients write .NET's dialect; what is common in filters means the same here. A leading `(?i)` is translated. */
function compile(source: string): RegExp {
  if (source.length > MAX_EXPRESSION_LENGTH) throw invalidArgument('The regular expression is too long');
  const [, options = '', body = source] = /^\(\?([ims]+)\)([^]*)$/.exec(source) ?? [];
  for (const flags of [`u${options}`, options]) {
    try {
      return new RegExp(body, flags);
    } catch {
      // Without `u` JavaScript is more lenient about what may be escaped.
    }
  }
  throw invalidArgument(`The regular expression can't be understood: ${source}`);
}
