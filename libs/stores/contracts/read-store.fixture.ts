import {
  assert,
  type Checkpoint,
  type Document,
  type DocumentWrite,
  type ListEntry,
  type PageRequest,
  type ProjectionCommit,
  type ProjectionVersion,
  type ReadStore,
  type Wait,
} from '@app/event-sourcing';
import { TO_DO, toDoEntries } from '@app/event-sourcing/reactor/to-do-entries';

export interface ReadStoreUnderTest {
  readonly store: ReadStore;
  /** Closes the store and removes what it left. */
  dispose(): Promise<void>;
}

export type ReadStoreFactory = () => Promise<ReadStoreUnderTest>;

export const DECLARED = 1;
export const OTHER_DECLARED = 2;
export const NOW = 1_700_000_000_000;
export const LEASE = 10_000;
export const PROJECTION = 'payments';
export const LIST = { projection: PROJECTION, collection: 'todo' };
export const VIEWS = { projection: PROJECTION, collection: 'views' };

export function checkpoint(position: bigint): Checkpoint {
  return {
    position,
    lastEvent: { id: `event-${position}`, streamId: 'payment-1', revision: 3 },
    events: Number(position % 1_000n),
  };
}

export function view(key: string, document: Document | null): DocumentWrite {
  return { collection: VIEWS.collection, key, document, listEntries: [] };
}

/** An item of a to-do list, as a projector writes it that was told so at `position`. */
export function item(key: string, due: Wait, position = 1n): DocumentWrite {
  return {
    collection: LIST.collection,
    key,
    document: { key },
    listEntries: toDoEntries(due, position),
  };
}

export function removal(key: string): DocumentWrite {
  return { collection: LIST.collection, key, document: null, listEntries: [] };
}

/** A document that stands in sorted lists; each entry is written `<list>:<order>`. */
export function listed(key: string, ...entries: readonly string[]): DocumentWrite {
  return { ...view(key, { key }), listEntries: entries.map(entryOf) };
}

function entryOf(text: string): ListEntry {
  const [list = '', order = ''] = text.split(':');
  return { list, order };
}

/** Commits on what the version tells, and tells what it is then. */
export async function commitTo(
  store: ReadStore,
  version: ProjectionVersion,
  position: bigint,
  ...writes: readonly DocumentWrite[]
): Promise<ProjectionVersion> {
  const { projection, version: number, declaredVersion, checkpoint: expected } = version;
  const next = checkpoint(position);
  expect(await store.commit({ projection, version: number, declaredVersion, expected, next, writes })).toBe(
    'committed',
  );
  return { ...version, checkpoint: next };
}

/** A fresh store for each test, with one projection opened in it. */
export class ReadStoreFixture {
  private underTest: ReadStoreUnderTest | null = null;
  private opened: ProjectionVersion | null = null;

  constructor(private readonly factory: ReadStoreFactory) {}

  get store(): ReadStore {
    assert(this.underTest !== null, 'begin() comes first');
    return this.underTest.store;
  }

  /** The version that commits are made for, with the checkpoint that they expect. */
  get version(): ProjectionVersion {
    assert(this.opened !== null, 'begin() comes first');
    return this.opened;
  }

  set version(version: ProjectionVersion) {
    this.opened = version;
  }

  async begin(): Promise<void> {
    this.underTest = await this.factory();
    this.version = await this.store.open(PROJECTION, { declaredVersion: DECLARED, head: 41n, nowMs: 1 });
  }

  async end(): Promise<void> {
    await this.underTest?.dispose();
    this.underTest = null;
  }

  /** Commits on what is there, one position further. */
  async write(...writes: readonly DocumentWrite[]): Promise<void> {
    const next = checkpoint((this.version.checkpoint?.position ?? 0n) + 1n);
    expect(await this.store.commit(this.commitOf({ next, writes }))).toBe('committed');
    this.version = { ...this.version, checkpoint: next };
  }

  /** A commit that would go through, but for the changes. */
  commitOf(changes: Partial<ProjectionCommit>): ProjectionCommit {
    const { version, declaredVersion, checkpoint: expected } = this.version;
    return { projection: PROJECTION, version, declaredVersion, expected, next: checkpoint(1n), writes: [], ...changes };
  }

  async read(key: string): Promise<Document | null> {
    return (await this.store.getMany(VIEWS, [key]))[0] ?? null;
  }

  async active(projection = PROJECTION): Promise<ProjectionVersion | null> {
    return (await this.store.versions(projection)).active;
  }

  /** The keys of what stands in a part of the to-do list; of everything unless asked otherwise. */
  async toDo(list: string = TO_DO.changes, request: Partial<PageRequest> = {}): Promise<readonly string[]> {
    const whole = { name: LIST, list, direction: 'ascending' as const, after: null, limit: 100 };
    return (await this.store.page({ ...whole, ...request })).map(({ key }) => key);
  }

  /** What stands in the list, as `<order> <key>`; from its beginning, ascending, unless asked otherwise. */
  async page(list: string, request: Partial<PageRequest> = {}): Promise<readonly string[]> {
    const whole = { name: VIEWS, list, direction: 'ascending' as const, after: null, limit: 100 };
    const found = await this.store.page({ ...whole, ...request });
    return found.map(({ order, key }) => `${order} ${key}`);
  }
}
