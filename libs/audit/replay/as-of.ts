import type { EventFacts } from '@app/event-sourcing';

/** The end of what is replayed: everything in the log, or what was recorded up to a time or a position, inclusive. */
export type AsOf =
  | { readonly kind: 'end' }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'position'; readonly position: bigint };

export const TO_THE_END: AsOf = { kind: 'end' };

/** Within a stream, no event that is within follows one that is not: its times and positions never run backwards. */
export function isWithin(asOf: AsOf, { position, metadata }: Pick<EventFacts, 'position' | 'metadata'>): boolean {
  switch (asOf.kind) {
    case 'end':
      return true;
    case 'time':
      return Date.parse(metadata.recordedAt) <= asOf.ms;
    case 'position':
      return position <= asOf.position;
  }
}
