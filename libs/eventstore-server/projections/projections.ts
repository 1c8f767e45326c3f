import type { LogEvent } from '@app/stores/sqlite';
import type { ServerContext } from '../context';
import { ProjectionRun, writeCheckpoint } from './projection-run';
import { SYSTEM_PROJECTIONS } from './system-projections';

/** The stream that records which projections are enabled. */
const REGISTRY_STREAM = '$projections-$all';
const INITIALIZED = '$ProjectionsInitialized';
const ENABLED = '$ProjectionEnabled';
const DISABLED = '$ProjectionDisabled';

export interface ProjectionState {
  readonly name: string;
  /** Null if it is stopped. */
  readonly position: bigint | null;
}

interface Running {
  readonly run: ProjectionRun;
  readonly stop: AbortController;
  readonly stopped: Promise<void>;
}

/** The system projections. Enabled ones run again after a restart. */
export class Projections {
  private readonly running = new Map<string, Running>();

  private constructor(private readonly context: ServerContext) {}

  /** Writes to a new log, as EventStoreDB does: a server's log is never empty. */
  static async start(context: ServerContext): Promise<Projections> {
    const projections = new Projections(context);
    if (context.log.lastPosition === 0n) await projections.record(INITIALIZED, {});
    for (const name of await projections.readEnabled()) projections.begin(name);
    return projections;
  }

  has(name: string): boolean {
    return Object.hasOwn(SYSTEM_PROJECTIONS, name);
  }

  states(): ProjectionState[] {
    return Object.keys(SYSTEM_PROJECTIONS).map((name) => ({
      name,
      position: this.running.get(name)?.run.position ?? null,
    }));
  }

  async enable(name: string): Promise<void> {
    if (this.running.has(name)) return;
    await this.record(ENABLED, { name });
    this.begin(name);
  }

  async disable(name: string): Promise<void> {
    if (await this.halt(name)) await this.record(DISABLED, { name });
  }

  /** Processes the log again from its start, without writing any event twice. */
  async reset(name: string): Promise<void> {
    const wasRunning = await this.halt(name);
    await writeCheckpoint(this.context, name, 0n);
    if (wasRunning) this.begin(name);
  }

  /** Stops all projections and restarts them from their checkpoints. */
  async restart(): Promise<void> {
    for (const name of [...this.running.keys()]) if (await this.halt(name)) this.begin(name);
  }

  /** Resolves once no more writes are in progress. */
  async close(): Promise<void> {
    for (const { stop } of this.running.values()) stop.abort();
    await Promise.all([...this.running.values()].map(({ stopped }) => stopped));
  }

  /** False if it was not running. Resolves once no more writes are in progress. */
  private async halt(name: string): Promise<boolean> {
    const running = this.running.get(name);
    if (running === undefined) return false;
    this.running.delete(name);
    running.stop.abort();
    await running.stopped;
    return true;
  }

  private begin(name: string): void {
    const projection = SYSTEM_PROJECTIONS[name];
    if (projection === undefined || this.running.has(name)) return;
    const run = new ProjectionRun(this.context, name, projection);
    const stop = new AbortController();
    this.running.set(name, { run, stop, stopped: run.run(stop.signal) });
  }

  private async readEnabled(): Promise<ReadonlySet<string>> {
    const enabled = new Set<string>();
    for (const event of await this.context.log.readStream(REGISTRY_STREAM)) {
      if (event.type === ENABLED) enabled.add(nameIn(event));
      if (event.type === DISABLED) enabled.delete(nameIn(event));
    }
    return enabled;
  }

  private async record(type: string, data: object): Promise<void> {
    const { log, random } = this.context;
    const event = { id: random.uuid(), type, isJson: true, data: Buffer.from(JSON.stringify(data)) };
    await log.append(REGISTRY_STREAM, 'any', [{ ...event, metadata: new Uint8Array(0) }]);
  }
}

function nameIn({ data }: LogEvent): string {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
  return (JSON.parse(text) as { name: string }).name;
}
