import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Partitions } from '@app/projections/partitions';
import { Deployment } from './deployment';
import { eventually } from './eventually';
import type { ReadModels } from './read-models';
import { ReadModelsFile } from './read-models-file';
import { ReadModelsInRedis } from './read-models-in-redis';
import type { Excused } from './reader';
import { seedLog } from './seeded-log';
import { Service } from './service';
import type { Workplace } from './work';

const PROJECTIONS = ['payments', 'processing', 'balances', 'webhook-deliveries'];
const PARTITIONS = new Partitions(4);
/** A lease of 5 s, the interval at which the others check, and a margin for the test machine. */
const TAKEN_OVER_WITHIN_MS = 30_000;

/** A running service whose read models are rebuilt while the processes that build them are killed. */
export interface RebuildStage {
  readonly place: Workplace & { readonly operatorToken: string };
  readonly readModels: ReadModels;
  /** What is not answered after the builder's death, until another process continues. */
  readonly excused: Excused;
  /** The payments projection, or its partition with the sandbox's merchant. */
  readonly part: string;
  /** The log output of all processes that may build. */
  readonly log: string;
  /** Kills the process that builds the partition, and resolves when another one is ready to continue. */
  killBuilder(onceDead: () => unknown): Promise<void>;
  loseReadModels(): Promise<void>;
  stop(): Promise<readonly (number | null)[]>;
  end(): Promise<void>;
}

/** Freezes the service instead of locking the file: the lock would be granted too late for a short phase. */
class FrozenReadModels extends ReadModelsFile implements ReadModels {
  constructor(private readonly service: () => Service) {
    super(service().dataDir);
  }

  hold(): Promise<void> {
    return this.service().freeze();
  }

  letGo(): void {
    this.service().thaw();
  }
}

export class OneProcessStage implements RebuildStage {
  readonly excused = 'everything';
  readonly part = 'payments';
  readModels: FrozenReadModels;

  private constructor(public place: Service) {
    this.readModels = new FrozenReadModels(() => this.place);
  }

  static async start(seededPayments: number): Promise<OneProcessStage> {
    const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-'));
    await seedLog(dataDir, seededPayments);
    return new OneProcessStage(await Service.start({ dataDir }));
  }

  get log(): string {
    return this.place.log;
  }

  async killBuilder(onceDead: () => unknown): Promise<void> {
    await this.place.kill();
    await onceDead();
    this.place = await this.place.restart();
  }

  async loseReadModels(): Promise<void> {
    const { dataDir } = this.place;
    await this.place.stop();
    this.readModels.close();
    const files = readdirSync(dataDir).filter((name) => name.startsWith('read-models.sqlite'));
    for (const name of files) rmSync(join(dataDir, name));
    this.place = await this.place.restart();
    this.readModels = new FrozenReadModels(() => this.place);
  }

  async stop(): Promise<readonly (number | null)[]> {
    return [await this.place.stop()];
  }

  async end(): Promise<void> {
    this.readModels.close();
    await this.place.kill();
    await this.place.removeData();
  }
}

export class RolesStage implements RebuildStage {
  readonly excused = 'lists';
  readonly part: string;
  readonly readModels: ReadModelsInRedis;

  private constructor(readonly place: Deployment) {
    this.part = PARTITIONS.nameFor('payments', place.credentials.merchantId);
    this.readModels = new ReadModelsInRedis(
      place.redis.url,
      PROJECTIONS.flatMap((projection) => PARTITIONS.names(projection)),
    );
  }

  static async start(seededPayments: number): Promise<RolesStage> {
    const counts = { api: 1, projector: 2, processor: 1, webhooks: 1 };
    return new RolesStage(await Deployment.start(counts, { seededPayments }));
  }

  get log(): string {
    return this.place
      .of('projector')
      .map(({ log }) => log)
      .join('');
  }

  async killBuilder(onceDead: () => unknown): Promise<void> {
    const builder = [0, 1].findIndex((index) => this.place.followedBy(index).has(this.part));
    await this.place.kill('projector', builder);
    await onceDead();
    await this.place.bringBack('projector', builder);
    const followed = () => new Set([0, 1].flatMap((index) => [...this.place.followedBy(index)]));
    const all = PROJECTIONS.length * PARTITIONS.count;
    await eventually('all parts to be followed', async () => followed().size === all, TAKEN_OVER_WITHIN_MS);
  }

  async loseReadModels(): Promise<void> {
    await this.place.redis.command('FLUSHALL');
  }

  stop(): Promise<readonly (number | null)[]> {
    return this.place.stop();
  }

  async end(): Promise<void> {
    this.readModels.close();
    await this.place.end();
  }
}
