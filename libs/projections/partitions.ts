import { hash } from 'node:crypto';
import type { Collection, CollectionName, Document, DomainEvent, Projection, StoredEvent } from '@app/event-sourcing';

/** So many merchants' partitions are remembered; the longest known are forgotten first. */
const MAX_REMEMBERED = 10_000;

/**
 * By which merchant a projection is divided into parts that are built, and worked, side by side: each part holds all the
 * documents of its merchants. Also its injection token.
 */
export class Partitions {
  private readonly known = new Map<string, number>();

  /** @param count 1: projections are whole, under their plain names. */
  constructor(readonly count: number) {}

  /** Which part holds the merchant: the same in every process, and for ever as long as the count stays. */
  indexOf(merchantId: string): number {
    if (this.count === 1) return 0;
    const known = this.known.get(merchantId);
    if (known !== undefined) return known;
    const index = hash('sha256', merchantId, 'buffer').readUInt32BE(0) % this.count;
    this.remember(merchantId, index);
    return index;
  }

  /** The names of all the projection's parts, in their order. The count stands in them: parts of another count are never taken for these. */
  names(projection: string): readonly string[] {
    if (this.count === 1) return [projection];
    return Array.from({ length: this.count }, (_, index) => `${projection}:${index}/${this.count}`);
  }

  /** The name of the part that holds the merchant. */
  nameFor(projection: string, merchantId: string): string {
    return this.count === 1 ? projection : `${projection}:${this.indexOf(merchantId)}/${this.count}`;
  }

  /** The merchant's part of a collection, which is named by its whole projection. */
  collectionFor({ projection, collection }: CollectionName, merchantId: string): CollectionName {
    return { projection: this.nameFor(projection, merchantId), collection };
  }

  /** All parts of a collection. */
  collections({ projection, collection }: CollectionName): readonly CollectionName[] {
    return this.names(projection).map((name) => ({ projection: name, collection }));
  }

  /** The projection's parts, each of them a projection of its own over the same events. */
  of<E extends DomainEvent>(projection: Projection<E>): readonly Projection<E>[] {
    if (this.count === 1) return [projection];
    return this.names(projection.name).map((name, index) => ({
      ...projection,
      name,
      collections: projection.collections.map((collection: Collection<Document, E>) => this.part(collection, index)),
    }));
  }

  /**
   * What an event of another part's merchant concerns is nothing of this one. An event that names no merchant concerns a document
   * that was begun by one that does: where there is none, it is in another part.
   */
  private part<D extends Document, E extends DomainEvent>(
    collection: Collection<D, E>,
    index: number,
  ): Collection<D, E> {
    const ownerOf = (event: StoredEvent<E>): number | null => {
      const merchantId = merchantOf(event);
      return merchantId === null ? null : this.indexOf(merchantId);
    };
    return {
      ...collection,
      key: (event) => {
        const owner = ownerOf(event);
        return owner === null || owner === index ? collection.key(event) : null;
      },
      evolve: (document, event) =>
        document === null && ownerOf(event) !== index ? null : collection.evolve(document, event),
    };
  }

  private remember(merchantId: string, index: number): void {
    this.known.set(merchantId, index);
    if (this.known.size <= MAX_REMEMBERED) return;
    for (const oldest of this.known.keys()) {
      this.known.delete(oldest);
      return;
    }
  }
}

export const ONE_PARTITION = new Partitions(1);

/** The name of the projection that a part is of, such as `payments` of `payments:0/4`. */
export function wholeName(partition: string): string {
  const end = partition.indexOf(':');
  return end === -1 ? partition : partition.slice(0, end);
}

function merchantOf({ data }: StoredEvent<DomainEvent>): string | null {
  const { merchantId } = data as { readonly merchantId?: unknown };
  return typeof merchantId === 'string' ? merchantId : null;
}
