import type { LogFilter } from '@app/storage/embedded';
import { invalidArgument } from '../errors';

/** What a persistent subscription to $all keeps of itself is not part of $all: it would feed on its own writes. */
const HIDDEN_STREAM = /^\$persistentsubscription-\$all::[^]*-(checkpoint|parked)$/;
const MAX_EXPRESSION_LENGTH = 2_048;
const MAX_PREFIXES = 1_024;

type Accepts = NonNullable<LogFilter['accepts']>;

/** Everything that belongs to $all. */
export const NO_FILTER: LogFilter = { streamPrefixes: [''], accepts: ({ streamName }) => isVisible(streamName) };

/** What a filter compares, and with what. A regular expression goes before prefixes. */
export interface FilterDescription {
  readonly subject: 'stream' | 'type';
  readonly prefixes: readonly string[];
  /** Empty when there is none. */
  readonly regex: string;
}

interface Expression {
  getPrefixList(): string[];
  getRegex(): string;
}

/** What the requests that carry a filter have in common. */
export interface FilterOptions {
  getStreamIdentifier(): Expression | undefined;
  getEventType(): Expression | undefined;
}

/** @throws ProtocolError for a filter that can't be used. */
export function readFilter(options: FilterOptions): LogFilter {
  return compileFilter(describeFilter(options));
}

/** @throws ProtocolError */
export function describeFilter(options: FilterOptions): FilterDescription {
  const byStream = options.getStreamIdentifier();
  const expression = byStream ?? options.getEventType();
  if (expression === undefined) throw invalidArgument('A filter is by stream name or by event type');
  const subject = byStream === undefined ? 'type' : 'stream';
  return { subject, prefixes: expression.getPrefixList(), regex: expression.getRegex() };
}

/** @throws ProtocolError */
export function compileFilter(description: FilterDescription): LogFilter {
  const { subject, prefixes, regex } = description;
  const matches = matcher(description);
  if (subject === 'type') {
    const accepts: Accepts = ({ streamName, type }) => isVisible(streamName) && matches(type);
    return { streamPrefixes: [''], accepts };
  }
  const accepts: Accepts = ({ streamName }) => isVisible(streamName) && matches(streamName);
  // Prefixes let the log find the events by its index.
  return { streamPrefixes: prefixes.length > 0 && regex === '' ? prefixes : [''], accepts };
}

export function isVisible(streamName: string): boolean {
  return !streamName.startsWith('$p') || !HIDDEN_STREAM.test(streamName);
}

function matcher({ prefixes, regex: source }: FilterDescription): (text: string) => boolean {
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
