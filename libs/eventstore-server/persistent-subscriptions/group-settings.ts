export const STRATEGIES = ['RoundRobin', 'DispatchToSingle', 'Pinned', 'PinnedByCorrelation'] as const;
/** How a message's consumer is chosen. */
export type StrategyName = (typeof STRATEGIES)[number];

export interface GroupSettings {
  /** Whether links are handed out with the events that they stand for. */
  readonly resolveLinks: boolean;
  /** Whether each consumer's answers are timed. */
  readonly extraStatistics: boolean;
  /** How long a consumer may take over a message before it is retried; 0 means for ever. */
  readonly messageTimeoutMs: number;
  /** A message that was retried so often is parked. */
  readonly maxRetryCount: number;
  /** Messages that are taken at once from the end of the source. */
  readonly liveBufferSize: number;
  /** Messages that are read at once while the group is behind. */
  readonly readBatchSize: number;
  /** Messages that wait for a consumer with room; nothing is read beyond it. */
  readonly historyBufferSize: number;
  /** Between two checkpoints of fewer than `maxCheckpointCount` messages; 0 means that there are none such. */
  readonly checkpointAfterMs: number;
  readonly minCheckpointCount: number;
  /** A checkpoint is written at once after so many messages. */
  readonly maxCheckpointCount: number;
  /** 0 means any number. */
  readonly maxSubscriberCount: number;
  readonly strategy: StrategyName;
}

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

/** Why a group can't work with these settings; null when it can. */
export function settingsProblem(settings: Readonly<Record<keyof GroupSettings, unknown>>): string | null {
  if (!isStrategy(settings.strategy)) return `Consumer strategy ${String(settings.strategy)} does not exist.`;
  for (const name of COUNTS) {
    const value = settings[name];
    if (!Number.isSafeInteger(value) || (value as number) < 0) return `${name} must be a number of at least 0.`;
  }
  if ((settings.readBatchSize as number) >= (settings.historyBufferSize as number)) {
    return 'readBatchSize may not be greater than or equal to historyBufferSize';
  }
  return null;
}

export function isStrategy(name: unknown): name is StrategyName {
  return STRATEGIES.some((strategy) => strategy === name);
}
