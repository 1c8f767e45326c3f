import { nextTurn, NO_REVISION, type StreamDescription, TOMBSTONE_REVISION, whole } from '@app/stores/sqlite';
import type { ServerContext } from '../context';
import { streamDeleted } from '../errors';
import { PAGE_EVENTS, SubscriptionOutput, type SubscriptionOptions } from './subscription-output';

/**
 * Delivers a stream's events after a revision, then new ones. The stream need not exist yet. A tombstone ends the
 * subscription with an error after its last event.
 *
 * Events appended during the subscription are delivered, even if the stream does not retain them: its retention rules
 * apply only to events from before the subscription.
 */
export async function subscribeToStream(
  context: ServerContext,
  options: SubscriptionOptions & { readonly name: string },
): Promise<void> {
  const { log } = context;
  const { name, signal, start } = options;
  const output = new SubscriptionOutput(context, options);
  let stream = log.describeStream(name);
  const joinedAt = stream.lastRevision;
  if (stream.state === 'tombstoned' && start !== 'end') throw streamDeleted(name);
  let last = start === 'start' ? NO_REVISION : start === 'end' ? joinedAt : start;
  await output.confirm();
  for (let isLive = false; !signal.aborted; stream = log.describeStream(name)) {
    const seen = log.lastPosition;
    if (last < joinedAt) {
      last = await giveAfter(context, { ...stream, lastRevision: joinedAt }, last, output);
      continue;
    }
    isLive &&= stream.lastRevision - last <= BigInt(PAGE_EVENTS);
    last = await giveAfter(context, whole(stream), last, output);
    if (stream.state === 'tombstoned' && joinedAt !== TOMBSTONE_REVISION) throw streamDeleted(name);
    if (log.describeStream(name).lastRevision > last) continue;
    if (!isLive) await output.caughtUp();
    isLive = true;
    await log.committedAfter(seen, signal);
  }
}

/** Delivers every readable event; returns the revision reached. */
async function giveAfter(
  { log }: ServerContext,
  stream: StreamDescription,
  last: bigint,
  output: SubscriptionOutput,
): Promise<bigint> {
  if (stream.lastRevision <= last) return last;
  let from: bigint | null = last + 1n;
  while (from !== null) {
    const page = log.readStreamPage(stream, { direction: 'forwards', from, maxCount: PAGE_EVENTS });
    const links = output.links();
    for (const event of page.events) {
      const wait = output.event(event, links);
      if (wait !== undefined) await wait;
    }
    from = page.next;
    if (from !== null) await nextTurn();
  }
  return stream.lastRevision;
}
