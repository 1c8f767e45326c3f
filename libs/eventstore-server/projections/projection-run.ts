import { type LogEvent, nextTurn } from '@app/stores/sqlite';
import type { ServerContext } from '../context';
import { LinkResolver } from '../reads/links';
import { emittedMetadata, type EmittedEvent, EmittedStreams, readLast } from './emitted-streams';
import { projected, type ProjectedEvent } from './projected-event';
import type { Emission, SystemProjection } from './system-projections';

const PAGE_EVENTS = 256;
/** Positions between two checkpoints, which a restart may have to read again. */
const CHECKPOINT_POSITIONS = 2_000n;
/** The pause after a failure, in ms. */
const RETRY_MS = 1_000;
const CHECKPOINT_TYPE = '$ProjectionCheckpoint';
const EVERYTHING = { streamPrefixes: [''] };

/** One running system projection: catches up from its checkpoint, then follows live. */
export class ProjectionRun {
  private readonly checkpointStream: string;
  private readonly streams: EmittedStreams;
  private checkpoint: bigint;
  private hasEmitted = false;
  /** Everything up to this position was processed. */
  position: bigint;

  constructor(
    private readonly context: ServerContext,
    readonly name: string,
    private readonly projection: SystemProjection,
  ) {
    this.checkpointStream = checkpointStream(name);
    this.streams = new EmittedStreams(context.log, context.random);
    this.checkpoint = this.readCheckpoint();
    this.position = this.checkpoint;
  }

  /** Runs until the signal fires. A failure is reported, and retried from the point of failure. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, clock, report } = this.context;
    while (!signal.aborted) {
      try {
        const page = log.readAllPage({ after: this.position, filter: EVERYTHING, maxCount: PAGE_EVENTS });
        await this.take(page.events);
        this.position = page.position;
        await this.writeCheckpoint();
        if (page.caughtUp) await log.committedAfter(this.position, signal);
        else await nextTurn();
      } catch (error) {
        if (signal.aborted) return;
        report.failure(`projection ${this.name}`, error);
        await clock.sleep(RETRY_MS, signal);
      }
    }
  }

  /** The events of a page are written together. */
  private async take(events: readonly LogEvent[]): Promise<void> {
    const emitted = new Map<string, EmittedEvent[]>();
    const links = new LinkResolver(this.context.log, true);
    for (const event of events) {
      const source = projected(event, links);
      const emission = source === null ? null : this.projection(source);
      if (source === null || emission === null) continue;
      const ofStream = emitted.get(emission.streamName) ?? [];
      ofStream.push({ event: this.toEvent(emission, source), source: event.position });
      emitted.set(emission.streamName, ofStream);
    }
    if (emitted.size === 0) return;
    await Promise.all([...emitted].map(([streamName, ofStream]) => this.streams.write(streamName, ofStream)));
    this.hasEmitted = true;
  }

  private toEvent({ type, data, metadata }: Emission, source: ProjectedEvent) {
    const id = this.context.random.uuid();
    return { id, type, isJson: false, data: Buffer.from(data), metadata: emittedMetadata(source, metadata) };
  }

  /**
   * Only occasionally, and only after an event was emitted: a checkpoint is an event too and must not cause another.
   */
  private async writeCheckpoint(): Promise<void> {
    if (!this.hasEmitted || this.position - this.checkpoint < CHECKPOINT_POSITIONS) return;
    await writeCheckpoint(this.context, this.name, this.position);
    this.checkpoint = this.position;
    this.hasEmitted = false;
  }

  private readCheckpoint(): bigint {
    const { log } = this.context;
    const text = readLast(log, log.describeStream(this.checkpointStream));
    if (text === null) return 0n;
    const { position } = JSON.parse(text) as { position: number };
    return BigInt(position);
  }
}

/** The next run begins after this position. */
export async function writeCheckpoint({ log, random }: ServerContext, name: string, position: bigint): Promise<void> {
  const data = Buffer.from(JSON.stringify({ position: Number(position) }));
  const event = { id: random.uuid(), type: CHECKPOINT_TYPE, isJson: true, data, metadata: new Uint8Array(0) };
  await log.append(checkpointStream(name), 'any', [event]);
}

function checkpointStream(name: string): string {
  return `$projections-${name}-checkpoint`;
}
