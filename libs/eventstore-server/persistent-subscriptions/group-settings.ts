export const STRATEGIES = ['RoundRobin', 'DispatchToSingle', 'Pinned', 'PinnedByCorrelation'] as const;
/** How a message's consumer is chosen. */
export type StrategyName = (typeof STRATEGIES)[number];

export interface GroupSettings {
  /** Whether links are delivered with their targets. */
  readonly resolveLinks: boolean;
  /** Whether processing times are measured per consumer. */
  readonly extraStatistics: boolean;
  /** How long a consumer may take to answer a message before it is retried. */
  readonly messageTimeoutMs: number;
  /** A message is parked after this many retries. */
  readonly maxRetryCount: number;
  /** Messages per read at the end of the source. */
  readonly liveBufferSize: number;
  /** Messages per read while the group is behind. */
  readonly readBatchSize: number;
  /** The most messages waiting for a consumer; at the limit, reading pauses. */
  readonly historyBufferSize: number;
  /** The time after which a checkpoint is written for fewer than `maxCheckpointCount` messages. */
  readonly checkpointAfterMs: number;
  readonly minCheckpointCount: number;
  /** A checkpoint is written at once after this many messages. */
  readonly maxCheckpointCount: number;
  /** 0 means unlimited. */
  readonly maxSubscriberCount: number;
  readonly strategy: StrategyName;
}

/** The protocol's numbers. */
const MAX_INT32 = 0x7fff_ffff;
const MIN_INT32 = -0x8000_0000;

/** The wording that clients read. */
const BATCH_TOO_LARGE =
  "Specified argument was out of the range of valid values. (Parameter 'ReadBatchSize may not be greater than or equal to BufferSize')";

const COUNTS = [
  'messageTimeoutMs',
  'maxRetryCount',
  'liveBufferSize',
  'readBatchSize',
  'historyBufferSize',
  'checkpointAfterMs',
  'minCheckpointCount',
  'maxCheckpointCount',
  'maxSubscriberCount',
] as const satisfies readonly (keyof GroupSettings)[];

/** Why a group cannot work with these settings; null if it can. Negative numbers are accepted, as in EventStoreDB. */
export function settingsProblem(settings: Readonly<Record<keyof GroupSettings, unknown>>): string | null {
  const strategy = strategyProblem(settings.strategy);
  if (strategy !== null) return strategy;
  for (const name of COUNTS) if (!Number.isInteger(settings[name])) return `${name} must be a whole number.`;
  return (settings.readBatchSize as number) >= (settings.historyBufferSize as number) ? BATCH_TOO_LARGE : null;
}

export function strategyProblem(name: unknown): string | null {
  return isStrategy(name) ? null : `Consumer strategy ${String(name)} does not exist.`;
}

/** Limited to the numbers that clients can be shown; anything beyond is practically unlimited. */
export function clamped(settings: GroupSettings): GroupSettings {
  const counts = COUNTS.map((name) => [name, Math.min(MAX_INT32, Math.max(MIN_INT32, settings[name]))]);
  const within = { ...settings, ...(Object.fromEntries(counts) as Partial<GroupSettings>) };
  // 0 disables checkpoints by age.
  return { ...within, checkpointAfterMs: within.checkpointAfterMs === 0 ? MAX_INT32 : within.checkpointAfterMs };
}

export function isStrategy(name: unknown): name is StrategyName {
  return STRATEGIES.some((strategy) => strategy === name);
}
