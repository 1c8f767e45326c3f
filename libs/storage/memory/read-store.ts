import {
  type Checkpoint,
  type ClaimedItem,
  type ClaimRequest,
  type ClockReading,
  type CollectionName,
  type Document,
  type Due,
  type Lease,
  type ListedDocument,
  type ListPlace,
  type NewVersion,
  type PageRequest,
  type ProjectionCommit,
  type ProjectionStop,
  type ProjectionVersion,
  type ProjectionVersions,
  ReadStore,
  ReadStoreUnavailableError,
} from '@app/kernel';
import { groupsOf, inTurns } from '../due-turns';
import { sameCheckpoint } from './checkpoints';
import { MemoryClaims } from './claims';
import { MemoryLeases } from './leases';
import { isVoid } from './void-waits';

/** A document as its JSON text, so that nobody shares an object with the store. */
interface Stored {
  readonly body: string;
  due: Due | null;
  readonly places: readonly ListPlace[];
}

interface TodoItem {
  readonly key: string;
  readonly body: string;
  readonly due: Due;
}

type Collections = Map<string, Map<string, Stored>>;

interface Built {
  version: ProjectionVersion;
  readonly collections: Collections;
}

interface Versions {
  active: Built;
  building: Built | null;
  /** Version numbers are never given twice. */
  last: number;
}

/** The read store for specs and simulations: everything in maps, every question a scan. Nothing outlives the object. */
export class MemoryReadStore extends ReadStore {
  private readonly projections = new Map<string, Versions>();
  private readonly leases = new MemoryLeases();
  /** By list; outside the projections' versions. */
  private readonly claims = new Map<string, MemoryClaims>();
  private installation: string | null = null;
  private closed = false;

  override async open(projection: string, fresh: NewVersion): Promise<ProjectionVersion> {
    return this.activeNow(projection) ?? this.startOver(projection, fresh);
  }

  override async restart(projection: string, fresh: NewVersion): Promise<ProjectionVersion> {
    return this.startOver(projection, fresh);
  }

  override async active(projection: string): Promise<ProjectionVersion | null> {
    return this.activeNow(projection);
  }

  override async versions(projection: string): Promise<ProjectionVersions> {
    return {
      active: this.activeNow(projection),
      building: this.projections.get(projection)?.building?.version ?? null,
    };
  }

  override async beginBuild(
    projection: string,
    fresh: NewVersion,
  ): Promise<ProjectionVersion | 'in-progress' | 'not-open'> {
    this.assertOpen();
    const versions = this.projections.get(projection);
    if (versions === undefined) return 'not-open';
    if (versions.building !== null) return 'in-progress';
    versions.last += 1;
    versions.building = built(projection, versions.last, fresh);
    this.tellAdvance(projection);
    return versions.building.version;
  }

  override async activate(projection: string, version: number): Promise<'activated' | 'behind' | 'fenced'> {
    this.assertOpen();
    const versions = this.projections.get(projection);
    const building = versions?.building ?? null;
    if (versions === undefined || building?.version.version !== version) return 'fenced';
    const reached = positionOf(building.version.checkpoint);
    const { completeFrom } = building.version;
    const needed = [positionOf(versions.active.version.checkpoint), completeFrom ?? -1n];
    if (needed.some((position) => reached < position)) return 'behind';
    versions.active = building;
    versions.building = null;
    this.tellAdvance(projection);
    return 'activated';
  }

  override async abandonBuild(projection: string, version: number): Promise<boolean> {
    this.assertOpen();
    const versions = this.projections.get(projection);
    if (versions?.building?.version.version !== version) return false;
    versions.building = null;
    this.tellAdvance(projection);
    return true;
  }

  /** Dead versions are gone with the last one who names them. */
  override async removeOld(): Promise<boolean> {
    this.assertOpen();
    return false;
  }

  override async setStop(projection: string, version: number, stop: ProjectionStop | null): Promise<boolean> {
    const found = this.builtVersion(projection, version);
    if (found === null) return false;
    if (stop !== null && (found.version.checkpoint?.position ?? -1n) >= stop.position) return false;
    found.version = { ...found.version, stop };
    this.tellAdvance(projection);
    return true;
  }

  override async commit(commit: ProjectionCommit): Promise<'committed' | 'fenced'> {
    const stored = this.builtVersion(commit.projection, commit.version);
    if (
      stored === null ||
      stored.version.declaredVersion !== commit.declaredVersion ||
      !sameCheckpoint(stored.version.checkpoint, commit.expected)
    ) {
      return 'fenced';
    }
    const texts = commit.writes.map(({ document }) => (document === null ? null : JSON.stringify(document)));
    for (const [index, { collection, key, due, places }] of commit.writes.entries()) {
      const documents = stored.collections.get(collection) ?? new Map<string, Stored>();
      stored.collections.set(collection, documents);
      const body = texts[index] ?? null;
      if (body === null) documents.delete(key);
      else documents.set(key, { body, due, places: distinct(places) });
    }
    stored.version = { ...stored.version, checkpoint: commit.next };
    this.tellAdvance(commit.projection);
    return 'committed';
  }

  override async getMany(
    name: CollectionName,
    keys: readonly string[],
    version?: number,
  ): Promise<readonly (Document | null)[]> {
    const documents = this.documents(name, version);
    return keys.map((key) => {
      const stored = documents?.get(key);
      return stored === undefined ? null : (JSON.parse(stored.body) as Document);
    });
  }

  override async page({ name, list, direction, after, until = null, limit }: PageRequest) {
    const [low, high] = direction === 'ascending' ? [after, until] : [until, after];
    const listed = [...(this.documents(name) ?? [])].flatMap(([key, { body, places }]) =>
      places
        .filter((place) => place.list === list)
        .filter(
          ({ order }) => (low === null || bytewise(order, low) > 0) && (high === null || bytewise(order, high) < 0),
        )
        .map(({ order }): ListedDocument => ({ key, order, document: JSON.parse(body) as Document })),
    );
    listed.sort((one, other) => bytewise(one.order, other.order) || bytewise(one.key, other.key));
    return (direction === 'ascending' ? listed : listed.reverse()).slice(0, limit);
  }

  override async dueGroups(
    list: CollectionName,
    nowMs: number,
    limit: number,
    perOwner: number,
  ): Promise<readonly string[]> {
    const due = this.claimable(list, nowMs).map(({ due: { group, dueAtMs } }) => ({ group, sinceMs: dueAtMs }));
    return inTurns(groupsOf(due), limit, perOwner);
  }

  override async endVoidWaits(list: CollectionName, now: ClockReading, leaseMs: number): Promise<boolean> {
    let found = this.claimsOf(list).endVoid(now.wallMs + 2 * leaseMs);
    const { settledMs } = now;
    for (const stored of (this.documents(list) ?? new Map<string, Stored>()).values()) {
      if (stored.due === null || !isVoid(stored.due, now)) continue;
      stored.due = { ...stored.due, waitsFromMs: settledMs, dueAtMs: settledMs };
      found = true;
    }
    return found;
  }

  override async claim(request: ClaimRequest): Promise<readonly ClaimedItem[]> {
    const { list, nowMs, limit, group } = request;
    const items = this.claimable(list, nowMs)
      .filter(({ due }) => group === undefined || due.group === group)
      .slice(0, limit);
    const keys = items.map(({ key }) => key);
    this.claimsOf(list).hold(keys, request);
    return items.map(({ key, body }) => ({ key, document: JSON.parse(body) as Document }));
  }

  override async renew(
    list: CollectionName,
    keys: readonly string[],
    owner: string,
    untilMs: number,
  ): Promise<readonly string[]> {
    this.assertOpen();
    return this.claimsOf(list).renew(keys, owner, untilMs);
  }

  override async release(list: CollectionName, keys: readonly string[], owner: string): Promise<void> {
    this.assertOpen();
    this.claimsOf(list).release(keys, owner);
  }

  override async nextDueAtMs(list: CollectionName): Promise<number | null> {
    const claims = this.claimsOf(list);
    const times = this.items(list).map(({ key, due }) => Math.max(due.dueAtMs, claims.untilMs(key) ?? due.dueAtMs));
    return times.reduce<number | null>((least, time) => Math.min(least ?? time, time), null);
  }

  override async firstDueAtMs(list: CollectionName): Promise<number | null> {
    const times = this.items(list).map(({ due }) => due.dueAtMs);
    return times.reduce<number | null>((least, time) => Math.min(least ?? time, time), null);
  }

  override async depth(list: CollectionName): Promise<number> {
    return this.items(list).length;
  }

  override async holdLease(lease: Lease): Promise<boolean> {
    this.assertOpen();
    return this.leases.hold(lease);
  }

  override async endLease(name: string, owner: string): Promise<void> {
    this.assertOpen();
    this.leases.end(name, owner);
  }

  override async join(membership: Lease): Promise<readonly string[]> {
    this.assertOpen();
    return this.leases.join(membership);
  }

  override async leave(name: string, owner: string): Promise<void> {
    this.assertOpen();
    this.leases.leave(name, owner);
  }

  override async installationId(candidate: string): Promise<string> {
    return (this.installation ??= candidate);
  }

  override async close(): Promise<void> {
    this.closed = true;
  }

  // No step of the methods above may wait between looking and writing: the calls of others would come in between.

  private activeNow(projection: string): ProjectionVersion | null {
    this.assertOpen();
    return this.projections.get(projection)?.active.version ?? null;
  }

  private startOver(projection: string, fresh: NewVersion): ProjectionVersion {
    this.assertOpen();
    const last = (this.projections.get(projection)?.last ?? 0) + 1;
    const active = built(projection, last, fresh);
    this.projections.set(projection, { active, building: null, last });
    this.tellAdvance(projection);
    return active.version;
  }

  private builtVersion(projection: string, version: number): Built | null {
    this.assertOpen();
    const { active, building } = this.projections.get(projection) ?? { active: null, building: null };
    return [active, building].find((candidate) => candidate?.version.version === version) ?? null;
  }

  /** What is due and held by nobody, the longest due first. */
  private claimable(list: CollectionName, nowMs: number): readonly TodoItem[] {
    const claims = this.claimsOf(list);
    return this.items(list)
      .filter(({ key, due }) => due.dueAtMs <= nowMs && (claims.untilMs(key) ?? nowMs) <= nowMs)
      .sort((one, other) => one.due.dueAtMs - other.due.dueAtMs);
  }

  private items(list: CollectionName): readonly TodoItem[] {
    return [...(this.documents(list) ?? [])].flatMap(([key, { body, due }]) =>
      due === null ? [] : [{ key, body, due }],
    );
  }

  private documents(
    { projection, collection }: CollectionName,
    version = this.activeNow(projection)?.version,
  ): Map<string, Stored> | undefined {
    return version === undefined ? undefined : this.builtVersion(projection, version)?.collections.get(collection);
  }

  private claimsOf({ projection, collection }: CollectionName): MemoryClaims {
    const name = JSON.stringify([projection, collection]);
    const claims = this.claims.get(name) ?? new MemoryClaims();
    this.claims.set(name, claims);
    return claims;
  }

  private assertOpen(): void {
    if (this.closed) throw new ReadStoreUnavailableError('The read store is closed');
  }
}

function built(projection: string, version: number, { declaredVersion, head, nowMs }: NewVersion): Built {
  return {
    version: {
      projection,
      version,
      declaredVersion,
      checkpoint: null,
      completeFrom: head,
      startedAtMs: nowMs,
      stop: null,
    },
    collections: new Map(),
  };
}

function positionOf(checkpoint: Checkpoint | null): bigint {
  return checkpoint?.position ?? -1n;
}

function distinct(places: readonly ListPlace[]): readonly ListPlace[] {
  return [...new Map(places.map(({ list, order }) => [JSON.stringify([list, order]), { list, order }])).values()];
}

/** As UTF-8 sorts, not by UTF-16 units as JavaScript's own operators do. */
function bytewise(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
