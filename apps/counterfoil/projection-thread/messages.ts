import type { LogFields } from '@app/platform/telemetry';
import type { ComparisonReport } from '@app/audit/comparison/comparison-worker';
import type { Damage, ProjectionVersion } from '@app/event-sourcing';
import type { Store } from '@app/projections/progress';
import type { ReadStoreWrite } from '@app/stores/sqlite';

/** The start parameters of the projection thread. */
export interface ThreadData {
  readonly dataDir: string;
  /** 32 bytes. */
  readonly masterKey: Uint8Array;
  /** 32 bytes; null unless the master key is being rotated. */
  readonly previousMasterKey: Uint8Array | null;
  /** Position of the log's last event at the start. */
  readonly head: bigint | null;
}

export type ToThread =
  /** Everything up to the position is in the log. */
  | { readonly kind: 'committed'; readonly position: bigint }
  /** A call of the read store, answered with the same id. */
  | { readonly kind: 'call'; readonly id: number; readonly method: ReadStoreWrite; readonly args: readonly unknown[] }
  | { readonly kind: 'stop' };

export type FromThread =
  | { readonly kind: 'answer'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly name: string; readonly message: string }
  | { readonly kind: 'advanced'; readonly version: ProjectionVersion }
  | { readonly kind: 'lost'; readonly projection: string }
  | { readonly kind: 'cut-off'; readonly projection: string; readonly from: Store }
  | { readonly kind: 'damaged'; readonly damage: Damage }
  | { readonly kind: 'compared'; readonly report: ComparisonReport }
  | { readonly kind: 'lag'; readonly projection: string; readonly seconds: number }
  | {
      readonly kind: 'log';
      readonly level: LogLevel;
      readonly message: string;
      readonly fields?: LogFields;
      readonly cause?: unknown;
    }
  /** The file of read models was lost and replaced. */
  | { readonly kind: 'replaced'; readonly file: string; readonly why: string }
  /** Why the thread is not ready, without secrets; null if it is. */
  | { readonly kind: 'readiness'; readonly problem: string | null };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
