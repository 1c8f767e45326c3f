import {
  type Clock,
  type CollectionName,
  type DocumentWrite,
  type EventStore,
  type Inspected,
  isCompleteVersion,
  type Projection,
  type ProjectionVersion,
  type ReadStoreInspection,
} from '@app/event-sourcing';
import { whyForeign } from '@app/event-sourcing/projector/open-version';
import { type Difference, documentDifferences, placeText, strayEntry } from './difference';
import { ExpectedDocuments, NotComparableError } from './expected-documents';
import { KeySlice } from './key-slice';

/** Documents looked at together. */
const CHUNK = 100;
/** A difference counts only if it is still there this much later, in ms. */
const LOOK_AGAIN_AFTER_MS = 1_000;
/** Further differences are only counted. */
export const MAX_DIFFERENCES = 1_000;

export interface ComparisonDependencies {
  readonly eventStore: EventStore;
  readonly inspection: ReadStoreInspection;
  readonly clock: Clock;
  readonly lookAgain?: () => void;
  readonly skipped: (projection: string) => Promise<ReadonlySet<string>>;
  /** The greatest size of the documents in memory, in characters. */
  readonly maxSize: number;
  /** Awaited between pieces of work of a few milliseconds each; may throw to end the comparison. */
  readonly rest: () => Promise<void>;
  /** Called for each difference as soon as it is certain. */
  readonly onDifference?: (difference: Difference, version: number) => void;
}

export type Comparison =
  | {
      readonly kind: 'compared';
      readonly version: ProjectionVersion;
      readonly documents: number;
      readonly differences: readonly Difference[];
      /** Of all, where they are more than are kept. */
      readonly count: number;
    }
  /** It has no complete version of this release, or that was replaced meanwhile: this says nothing about differences. */
  | { readonly kind: 'not comparable'; readonly why: string };

/**
 * Compares what the read store holds of a projection, or of one of its partitions, with what the log gives, document by
 * document and entry by entry, in both directions. Documents are read together with the version's checkpoint and
 * compared with the fold of the log up to exactly there. So lag is no difference, nor are writes in the meantime.
 *
 * Memory is bounded: what has no room is compared in further passes over the log.
 *
 * @throws EventStoreUnavailableError, ReadStoreUnavailableError, DamagedHistoryError if the skips cannot be read.
 */
export async function compareProjection(projection: Projection, deps: ComparisonDependencies): Promise<Comparison> {
  try {
    const { active } = await deps.inspection.versions(projection.name);
    const version = await comparable(projection, active, deps);
    return await new ProjectionComparison(projection, version, deps).run();
  } catch (error) {
    if (error instanceof NotComparableError) return { kind: 'not comparable', why: error.message };
    throw error;
  }
}

async function comparable(
  projection: Projection,
  version: ProjectionVersion | null,
  deps: ComparisonDependencies,
): Promise<ProjectionVersion> {
  const { declaredVersion } = projection;
  if (version === null) throw new NotComparableError('it has no version yet');
  if (version.declaredVersion !== declaredVersion) {
    throw new NotComparableError(`its declared version is ${version.declaredVersion}, not ${declaredVersion}`);
  }
  if (!isCompleteVersion(version)) throw new NotComparableError('it is being built');
  await assertOfThisLog(projection, version, deps);
  return version;
}

async function assertOfThisLog(
  projection: Projection,
  { checkpoint }: ProjectionVersion,
  { eventStore, lookAgain }: ComparisonDependencies,
): Promise<void> {
  lookAgain?.();
  const why = await whyForeign(projection, checkpoint, await eventStore.head(), eventStore);
  if (why !== null) throw new NotComparableError(why);
}

/** One look at the read store, which can be repeated. */
type Look = () => Promise<readonly Difference[]>;
/** Looks, and keeps what differs in mind for a second look. */
type Compare = (look: Look) => Promise<void>;

class ProjectionComparison {
  private readonly found = new Map<string, Difference>();
  private count = 0;
  private documents = 0;

  constructor(
    private readonly projection: Projection,
    private readonly version: ProjectionVersion,
    private readonly deps: ComparisonDependencies,
  ) {}

  async run(): Promise<Comparison> {
    const skipped = await this.deps.skipped(this.projection.name);
    const slices = [KeySlice.ALL];
    for (let slice = slices.pop(); slice !== undefined; slice = slices.pop()) {
      slices.push(...(await this.compareSlice(slice, skipped)));
    }
    const { version, documents, found, count } = this;
    return { kind: 'compared', version, documents, differences: [...found.values()], count };
  }

  /** @returns the slices that had no room. */
  private async compareSlice(slice: KeySlice, skipped: ReadonlySet<string>): Promise<readonly KeySlice[]> {
    const suspects: { readonly look: Look; readonly differences: readonly Difference[] }[] = [];
    const compare: Compare = async (look) => {
      const differences = await look();
      if (differences.length > 0) suspects.push({ look, differences });
      await this.deps.rest();
    };
    const onTrail = (writes: readonly DocumentWrite[]) => compare(() => this.compareTrail(writes));
    const expected = new ExpectedDocuments(this.projection, slice, { ...this.deps, skipped, onTrail });
    await expected.advanceTo(this.version.checkpoint?.position ?? -1n);
    for (const { name } of this.projection.collections) {
      const collection = { projection: this.projection.name, collection: name };
      for (const keys of chunksOf(expected.keys(name))) {
        this.documents += keys.length;
        await compare(() => this.compareDocuments(expected, collection, keys));
      }
      await this.compareSurplus(expected, collection, compare);
    }
    if (suspects.length > 0) await this.lookAgain(suspects);
    return expected.left;
  }

  private async lookAgain(
    suspects: readonly { readonly look: Look; readonly differences: readonly Difference[] }[],
  ): Promise<void> {
    await this.deps.clock.sleep(LOOK_AGAIN_AFTER_MS);
    const { active } = await this.deps.inspection.versions(this.projection.name);
    await assertOfThisLog(this.projection, active ?? this.version, this.deps);
    for (const { look, differences } of suspects) {
      const still = new Set((await look()).map(placeText));
      for (const difference of differences) if (still.has(placeText(difference))) this.record(difference);
      await this.deps.rest();
    }
  }

  /**
   * Whether what was kept of events is there, as it should be: it never changes. What the log does not give is not
   * looked for.
   */
  private async compareTrail(writes: readonly DocumentWrite[]): Promise<readonly Difference[]> {
    const { version } = this.version;
    const differences: Difference[] = [];
    for (const [collection, own] of Map.groupBy(writes, (write) => write.collection)) {
      const name = { projection: this.projection.name, collection };
      const byKey = new Map(own.map((write) => [write.key, write]));
      const read = await this.deps.inspection.documents({ ...name, version }, [...byKey.keys()]);
      if (read === null) throw new NotComparableError('another version replaced it');
      for (const stored of read.found) {
        const found = documentDifferences(byKey.get(stored.key) ?? null, stored);
        differences.push(...found.map((difference) => ({ ...name, ...difference })));
      }
    }
    return differences;
  }

  /** Whether all that the log gives is there, as it should be. */
  private async compareDocuments(
    expected: ExpectedDocuments,
    name: CollectionName,
    keys: readonly string[],
  ): Promise<readonly Difference[]> {
    const { version } = this.version;
    const { found } = await this.reached(expected, await this.deps.inspection.documents({ ...name, version }, keys));
    return found
      .filter(({ key }) => expected.covers(key))
      .flatMap((stored) => documentDifferences(expected.get(name.collection, stored.key), stored))
      .map((difference) => ({ ...name, ...difference }));
  }

  /** Whether there is anything that the log does not give. */
  private async compareSurplus(expected: ExpectedDocuments, name: CollectionName, compare: Compare): Promise<void> {
    const { inspection } = this.deps;
    const of = { ...name, version: this.version.version };
    for (let from: string | null = null, next: string | null = null; ; from = next) {
      await compare(async () => {
        const page = await this.reached(expected, await inspection.keys(of, from));
        next = page.next;
        const unknown = page.found.filter((key) => expected.covers(key) && !expected.get(name.collection, key));
        return unknown.length === 0 ? [] : this.compareDocuments(expected, name, unknown);
      });
      if (next === null) break;
    }
    for (let from: string | null = null, next: string | null = null; ; from = next) {
      await compare(async () => {
        const page = await this.reached(expected, await inspection.entries(of, from));
        next = page.next;
        const own = page.found.filter(({ key }) => expected.covers(key));
        const stray = own.flatMap((entry) => strayEntry(expected.get(name.collection, entry.key), entry));
        return stray.map((difference) => ({ ...name, ...difference }));
      });
      if (next === null) break;
    }
  }

  /** What was read, once the fold of the log has come to where it was read. */
  private async reached<T extends Inspected<unknown>>(expected: ExpectedDocuments, read: T | null): Promise<T> {
    if (read === null) throw new NotComparableError('another version replaced it');
    await expected.advanceTo(read.position);
    return read;
  }

  private record(difference: Difference): void {
    const place = placeText(difference);
    // Both a document and a list may tell of the same entry.
    if (this.found.has(place)) return;
    this.count += 1;
    if (this.found.size < MAX_DIFFERENCES) this.found.set(place, difference);
    this.deps.onDifference?.(difference, this.version.version);
  }
}

function* chunksOf(keys: Iterable<string>): Iterable<readonly string[]> {
  let chunk: string[] = [];
  for (const key of keys) {
    chunk.push(key);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
