import type { Damage } from '@app/event-sourcing';

/** What a spec's parts have found wrong with streams and with entries of the read store. */
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
