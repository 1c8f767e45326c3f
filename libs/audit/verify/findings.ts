/**
 * - `CHANGED`: an event is not what its hash, or a seal, says.
 * - `MISSING`: events, or a whole stream, are gone.
 * - `REORDERED`: events stand in another order than they were written in.
 * - `CUT`: a stream, or the log, ends too early.
 * - `FORGED`: somebody else wrote an event.
 * - `SEAL_FORGED`: a seal, or the introduction of a key, is not one that the service signed.
 * - `REWRITTEN`: the seals agree with the log, and not with the head that the auditor trusts.
 * - `UNREADABLE`: the log cannot be read to its end.
 * - `NEWER`: a newer release wrote the event, and only that can verify it.
 * - `UNSEALED`: there is no seal at all.
 */
export type FindingKind =
  | 'CHANGED'
  | 'MISSING'
  | 'REORDERED'
  | 'CUT'
  | 'FORGED'
  | 'SEAL_FORGED'
  | 'REWRITTEN'
  | 'UNREADABLE'
  | 'NEWER'
  | 'UNSEALED';

export type AuditVerdict = 'INTACT' | FindingKind;

export interface Finding {
  readonly kind: FindingKind;
  /** Null if the finding is of the log as a whole. */
  readonly streamId: string | null;
  /** The first one concerned. */
  readonly revision: number | null;
  /** Where it was noticed. */
  readonly position: string | null;
  readonly reason: string;
}

/** How many findings are kept in full; all are counted. */
const MAX_KEPT = 100;

export interface FindingsState {
  readonly kept: readonly Finding[];
  readonly counts: Readonly<Partial<Record<FindingKind, number>>>;
}

/** What was found, in the order in which it was found. */
export class Findings {
  private readonly list: Finding[] = [];
  private readonly counted = new Map<FindingKind, number>();

  constructor({ kept, counts }: FindingsState = { kept: [], counts: {} }) {
    this.list.push(...kept);
    for (const [kind, count] of Object.entries(counts)) this.counted.set(kind as FindingKind, count);
  }

  add(finding: Finding): void {
    const { kind, streamId, revision } = finding;
    const isKnown =
      streamId !== null &&
      this.list.some((one) => one.kind === kind && one.streamId === streamId && one.revision === revision);
    if (isKnown) return;
    this.counted.set(finding.kind, (this.counted.get(finding.kind) ?? 0) + 1);
    if (this.list.length < MAX_KEPT) this.list.push(finding);
  }

  get total(): number {
    return [...this.counted.values()].reduce((sum, count) => sum + count, 0);
  }

  /** That of the first finding. */
  get verdict(): AuditVerdict {
    return this.list[0]?.kind ?? 'INTACT';
  }

  get state(): FindingsState {
    return { kept: this.list, counts: Object.fromEntries(this.counted) };
  }
}
