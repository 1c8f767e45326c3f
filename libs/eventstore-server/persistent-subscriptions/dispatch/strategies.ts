import { LINK_TYPE } from '../../reads/links';
import type { StrategyName } from '../group-settings';
import type { GroupMessage } from '../state/message';
import { Pinned } from './pinned';
import { DispatchToSingle, RoundRobin } from './rotating';
import type { Candidate, DispatchStrategy } from './strategy';

export function dispatchStrategy<C extends Candidate>(name: StrategyName): DispatchStrategy<C> {
  switch (name) {
    case 'RoundRobin':
      return new RoundRobin();
    case 'DispatchToSingle':
      return new DispatchToSingle();
    case 'Pinned':
      return new Pinned(streamOf);
    case 'PinnedByCorrelation':
      return new Pinned((message) => correlationOf(message) ?? streamOf(message));
  }
}

/** The stream that an event was written to; for a link without a readable target, the stream that it refers to. */
export function streamOf({ resolved: { event, link } }: GroupMessage): string {
  const known = event ?? link;
  if (known === null) return '';
  if (known.type !== LINK_TYPE) return known.streamName;
  const text = utf8(known.data);
  return text.slice(text.indexOf('@') + 1);
}

function correlationOf({ resolved: { event, link } }: GroupMessage): string | null {
  const text = utf8((event ?? link)?.metadata ?? new Uint8Array(0));
  if (!text.includes('"$correlationId"')) return null;
  try {
    const { $correlationId } = JSON.parse(text) as { $correlationId?: unknown };
    return typeof $correlationId === 'string' ? $correlationId : null;
  } catch {
    return null;
  }
}

function utf8({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}
