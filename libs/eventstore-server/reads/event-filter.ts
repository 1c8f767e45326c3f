import { FilterError, type LogFilter } from '@app/stores/sqlite';
import { invalidArgument } from '../errors';
import { Expression } from './regular-expressions/expression';
import { ExpressionError } from './regular-expressions/syntax-tree';

/**
 * Streams that persistent subscriptions to $all write for themselves are excluded from $all: otherwise they would
 * consume their own writes.
 */
const HIDDEN_STREAM = /^\$persistentsubscription-\$all::[^]*-(checkpoint|parked)$/;
const MAX_EXPRESSION_LENGTH = 2_048;
const MAX_PREFIXES = 1_024;
const MAX_MATCHED_LENGTH = 16_384;
const MAX_KNOWN_TYPES = 1_024;
/** The cost limit of a turn of the event loop: about 10 ms. */
const MAX_COST_PER_TURN = 300_000;

type Accepts = NonNullable<LogFilter['accepts']>;

/** Everything in $all. */
export const NO_FILTER: LogFilter = { streamPrefixes: [''], accepts: ({ streamName }) => isVisible(streamName) };

/** The subject and condition of a filter. A regular expression takes precedence over prefixes. */
export interface FilterDescription {
  readonly subject: 'stream' | 'type';
  readonly prefixes: readonly string[];
  /** Empty if there is none. */
  readonly regex: string;
}

interface Comparison {
  getPrefixList(): string[];
  getRegex(): string;
}

/** The part that all requests with a filter share. */
export interface FilterOptions {
  getStreamIdentifier(): Comparison | undefined;
  getEventType(): Comparison | undefined;
}

/** @throws ProtocolError for an invalid filter. */
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
export function compileFilter({ subject, prefixes, regex }: FilterDescription): LogFilter {
  if (prefixes.length > MAX_PREFIXES) throw invalidArgument(`A filter has at most ${MAX_PREFIXES} prefixes`);
  if (regex !== '') return byExpression(subject, regex);
  if (subject === 'stream') {
    // The log finds the events by its index.
    return { streamPrefixes: prefixes, accepts: ({ streamName }) => isVisible(streamName) };
  }
  const matches = (type: string): boolean => prefixes.some((prefix) => type.startsWith(prefix));
  return { streamPrefixes: [''], accepts: ({ streamName, type }) => isVisible(streamName) && matches(type) };
}

/** Readers yield once an expression's cost reaches the limit for a turn of the event loop. */
function byExpression(subject: FilterDescription['subject'], source: string): LogFilter {
  const expression = compile(source);
  const isLongEnough = (): boolean => {
    if (expression.cost < MAX_COST_PER_TURN) return false;
    expression.cost = 0;
    return true;
  };
  const matches = (text: string): boolean => {
    if (text.length > MAX_MATCHED_LENGTH) {
      throw new FilterError(
        `A name of more than ${MAX_MATCHED_LENGTH} characters is not matched with a regular expression`,
      );
    }
    return expression.test(text);
  };
  if (subject === 'stream') {
    const accepts: Accepts = ({ streamName }) => isVisible(streamName) && matches(streamName);
    return { streamPrefixes: [''], accepts, isLongEnough };
  }
  // There are many events and few types.
  const known = new Map<string, boolean>();
  const accepts: Accepts = ({ streamName, type }) => {
    if (!isVisible(streamName)) return false;
    const found = known.get(type) ?? matches(type);
    if (known.size >= MAX_KNOWN_TYPES) known.clear();
    known.set(type, found);
    return found;
  };
  return { streamPrefixes: [''], accepts, isLongEnough };
}

export function isVisible(streamName: string): boolean {
  return !streamName.startsWith('$p') || !HIDDEN_STREAM.test(streamName);
}

/** Clients use .NET's dialect. */
function compile(source: string): Expression {
  if (source.length > MAX_EXPRESSION_LENGTH) {
    throw invalidArgument(`A regular expression has at most ${MAX_EXPRESSION_LENGTH} characters`);
  }
  try {
    return new Expression(source);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw invalidArgument(`The regular expression ${source} can't be used: ${error.message}`);
  }
}
