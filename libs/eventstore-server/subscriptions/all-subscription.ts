import { type AllPage, type LogFilter, nextTurn } from '@app/stores/sqlite';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import type { ServerContext } from '../context';
import { NO_FILTER, readFilter } from '../reads/event-filter';
import { Checkpoints } from './checkpoints';
import { PAGE_EVENTS, SubscriptionOutput, type SubscriptionOptions } from './subscription-output';

/** Considered events between two checkpoints, per unit of the client's multiplier, unless the client sets a window. */
const DEFAULT_WINDOW = 32;

/**
 * Delivers everything after a position, then new events, until the client disconnects. Nothing is read ahead of the
 * client: a slow one continues from the log when it has room, and gets "caught up" again after that.
 */
export async function subscribeToAll(context: ServerContext, options: SubscriptionOptions): Promise<void> {
  const { log } = context;
  const { signal, start } = options;
  const filterOptions = options.options.getFilter();
  const filter = filterOptions === undefined ? NO_FILTER : readFilter(filterOptions);
  let position = start === 'start' ? 0n : start === 'end' ? log.lastPosition : start;
  const checkpoints = filterOptions === undefined ? null : new Checkpoints(position, ...intervals(filterOptions));
  const output = new SubscriptionOutput(context, options);
  await output.confirm();
  let isLive = false;
  while (!signal.aborted) {
    const page = readPage(context, position, filter);
    position = page.position;
    isLive &&= page.caughtUp;
    await give(page, output, checkpoints, isLive);
    if (!page.caughtUp) {
      await nextTurn();
      continue;
    }
    if (!isLive) await output.caughtUp();
    isLive = true;
    await log.committedAfter(position, signal);
  }
}

function readPage({ log }: ServerContext, after: bigint, filter: LogFilter): AllPage {
  return log.readAllPage({ after, filter, maxCount: PAGE_EVENTS });
}

async function give(
  page: AllPage,
  output: SubscriptionOutput,
  checkpoints: Checkpoints | null,
  isLive: boolean,
): Promise<void> {
  const tell = async (position: bigint): Promise<void> => {
    if (checkpoints === null) return;
    const due = isLive ? checkpoints.reached(position) : checkpoints.passed(position);
    for (const each of due) await output.checkpoint(each);
  };
  const links = output.links();
  for (const event of page.events) {
    if (checkpoints !== null) await tell(event.position - 1n);
    const wait = output.event(event, links);
    if (wait !== undefined) await wait;
    checkpoints?.eventSent(event.position);
    if (checkpoints !== null) await tell(event.position);
  }
  await tell(page.position);
}

function intervals(options: ReadReq.Options.FilterOptions): [window: bigint, multiplier: bigint] {
  const window = options.hasMax() ? options.getMax() : DEFAULT_WINDOW;
  return [BigInt(Math.max(1, window)), BigInt(Math.max(1, options.getCheckpointintervalmultiplier()))];
}
