import { accepted, type Decision, rejected, type StoredEvent, unreachable } from '@app/event-sourcing';
import type { KeyIntroduction, Seal, SealEvent } from './events';

/** The stream of seals. It is the only one of the service whose events are no leaves. */
export const SEALS_STREAM_ID = 'seals';

/** What the next seal has to follow. */
export interface LastSeal {
  /** The hash of the stream's last event; empty if there is none. */
  readonly hash: string;
  /** The key that signs; null if none was introduced. */
  readonly keyId: string | null;
}

/** Both come signed. */
export type SealCommand =
  | { readonly type: 'SealHistory'; readonly seal: Seal }
  | { readonly type: 'IntroduceSealKey'; readonly introduction: KeyIntroduction };

export type SealRejection = 'OVERTAKEN' | 'KEY_REPLACED';

/** A seal that was made for another state of the stream than this one is refused. */
export function decide(command: SealCommand, last: LastSeal): Decision<SealEvent, SealRejection> {
  switch (command.type) {
    case 'SealHistory': {
      const { seal } = command;
      if (seal.previousSeal !== last.hash) return rejected('OVERTAKEN');
      if (seal.keyId !== last.keyId) return rejected('KEY_REPLACED');
      return accepted<SealEvent>({ type: 'HistorySealed', data: seal });
    }
    case 'IntroduceSealKey': {
      const { introduction } = command;
      if (introduction.previousSeal !== last.hash) return rejected('OVERTAKEN');
      if (introduction.previousKeyId !== last.keyId) return rejected('KEY_REPLACED');
      return accepted<SealEvent>({ type: 'SealKeyIntroduced', data: introduction });
    }
    default:
      return unreachable(command);
  }
}

export function evolve(_last: LastSeal, { data, metadata }: StoredEvent<SealEvent>): LastSeal {
  return { hash: metadata.hash, keyId: data.keyId };
}
