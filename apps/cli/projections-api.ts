/** The part of the operator API's projection that is displayed. */
export interface Projection {
  readonly name: string;
  readonly partitions: readonly Partition[];
}

export interface Partition {
  readonly name: string;
  readonly status: 'NEW' | 'BUILDING' | 'LIVE' | 'STOPPED';
  readonly active: (Version & { readonly lagEvents: number; readonly lagSeconds: number }) | null;
  readonly building: (Version & { readonly cause: 'VERSION_CHANGED' | 'REQUESTED' }) | null;
}

export interface Version {
  readonly version: number;
  readonly position: string | null;
  readonly events: number;
  readonly percent: number | null;
  readonly secondsLeft: number | null;
  readonly stopped: Stop | null;
}

export interface Stop {
  readonly position: string;
  readonly eventType: string;
  readonly streamId: string;
  readonly revision: number;
  readonly reason: string;
  readonly since: string;
}
