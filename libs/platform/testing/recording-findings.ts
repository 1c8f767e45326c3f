import type { Damage } from '@app/event-sourcing';

/** Records the damaged streams and forged entries that a spec's parts report. */
export class RecordingFindings {
  readonly damages: string[] = [];
  readonly forgeries: string[] = [];
  readonly damaged = {
    report: ({ streamId, revision, kind }: Damage) => void this.damages.push(`${kind} ${streamId}@${revision}`),
  };
  readonly forged = {
    report: (kind: string, key: string, reason: string) => void this.forgeries.push(`${kind} ${key}: ${reason}`),
  };
}
