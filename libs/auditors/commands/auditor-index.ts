import { hash } from 'node:crypto';
import {
  type Auditor,
  auditorDecider,
  type AuditorEvent,
  auditorIdOfStream,
  auditorSchemas,
  isAuditorId,
} from '@app/auditors/domain';
import { DamagedHistoryError, DELETION, type HistoryEnd, readHistory, type RecordedEvent } from '@app/event-sourcing';

interface Entry {
  /** Null if the stream is damaged from its first event. */
  readonly auditor: Auditor | null;
  readonly last: HistoryEnd | null;
  /** If set, the auditor's token is not accepted. */
  readonly damage: DamagedHistoryError | null;
}

/** An auditor as listed. */
export interface ListedAuditor {
  readonly auditorId: string;
  /** Null if its stream is damaged. */
  readonly auditor: Auditor | null;
}

/** All auditors in memory, folded from events that may be delivered more than once. */
export class AuditorIndex {
  private readonly entries = new Map<string, Entry>();
  /** The auditor's id, by the token's SHA-256. */
  private readonly byToken = new Map<string, string>();

  /** Null if the token was never issued. @throws DamagedHistoryError if its auditor's stream is damaged. */
  ofToken(token: string): Auditor | null {
    const entry = this.entries.get(this.byToken.get(hash('sha256', token, 'hex')) ?? '');
    if (entry === undefined) return null;
    if (entry.damage !== null) throw entry.damage;
    return entry.auditor;
  }

  listed(): readonly ListedAuditor[] {
    return [...this.entries].map(([auditorId, { auditor, damage }]) => ({
      auditorId,
      auditor: damage === null ? auditor : null,
    }));
  }

  /** Folds the event in unless that was done before; returns the damage if the event can't be trusted. */
  apply(recorded: RecordedEvent): DamagedHistoryError | null {
    const { streamId, revision, type } = recorded;
    const auditorId = auditorIdOfStream(streamId);
    if (!isAuditorId(auditorId)) return new DamagedHistoryError(recorded, 'FOREIGN', 'it is no auditor’s');
    const known = this.entries.get(auditorId) ?? { auditor: null, last: null, damage: null };
    const isKnown = type !== DELETION && revision <= (known.last?.revision ?? -1);
    if (known.damage !== null || isKnown) return known.damage;
    try {
      const { auditor, last } = folded(auditorId, known, recorded);
      this.entries.set(auditorId, { auditor, last, damage: null });
      this.byToken.set(auditor.tokenHash, auditorId);
      return null;
    } catch (error) {
      if (!(error instanceof DamagedHistoryError)) throw error;
      this.entries.set(auditorId, { ...known, damage: error });
      return error;
    }
  }
}

/** @throws DamagedHistoryError */
function folded(auditorId: string, { auditor: before, last }: Entry, recorded: RecordedEvent) {
  let auditor = before;
  let end = last;
  for (const event of readHistory<AuditorEvent>([recorded], auditorSchemas, { last })) {
    auditor = auditorDecider.evolve(auditor, event);
    end = { revision: event.revision, hash: event.metadata.hash, recordedAt: event.metadata.recordedAt };
  }
  if (auditor?.auditorId === auditorId) return { auditor, last: end };
  throw new DamagedHistoryError(recorded, 'BROKEN', 'it does not begin with the registration of its auditor');
}
