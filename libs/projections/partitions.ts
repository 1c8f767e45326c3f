import { hash } from 'node:crypto';
import type { Collection, CollectionName, Document, DomainEvent, Projection, StoredEvent } from '@app/event-sourcing';

/** The most merchants whose partition is cached; the oldest entries are dropped first. */
const MAX_REMEMBERED = 10_000;

/**
 * Divides projections by merchant into partitions that are built, and worked, independently. Each partition holds all
 * documents of its merchants. Also the injection token.
 */
export class Partitions {
  private readonly known = new Map<string, number>();

  /** @param count with 1, projections are not partitioned and keep their plain names. */
  constructor(readonly count: number) {}

  /**
   * The index of the merchant's partition: the same in every process and at any time, as long as `count` is the same.
   */
  indexOf(merchantId: string): number {
    if (this.count === 1) return 0;
    const known = this.known.get(merchantId);
    if (known !== undefined) return known;
    const index = hash('sha256', merchantId, 'buffer').readUInt32BE(0) % this.count;
    this.remember(merchantId, index);
    return index;
  }

  /**
   * The names of the projection's partitions, in order. They include the count, so that partitions of another count are
   * never confused with these.
   */
  names(projection: string): readonly string[] {
    if (this.count === 1) return [projection];
    return Array.from({ length: this.count }, (_, index) => `${projection}:${index}/${this.count}`);
  }

  /** The name of the merchant's partition. */
  nameFor(projection: string, merchantId: string): string {
    return this.count === 1 ? projection : `${projection}:${this.indexOf(merchantId)}/${this.count}`;
  }

  /** The collection in the merchant's partition; the argument names the whole projection. */
  collectionFor({ projection, collection }: CollectionName, merchantId: string): CollectionName {
    return { projection: this.nameFor(projection, merchantId), collection };
  }

  /** The collection in every partition. */
  collections({ projection, collection }: CollectionName): readonly CollectionName[] {
    return this.names(projection).map((name) => ({ projection: name, collection }));
  }

  /** The projection's partitions, each of them a projection of its own over the same events. */
  of<E extends DomainEvent>(projection: Projection<E>): readonly Projection<E>[] {
    if (this.count === 1) return [projection];
    return this.names(projection.name).map((name, index) => ({
      ...projection,
      name,
      collections: projection.collections.map((collection: Collection<Document, E>) =>
        this.restricted(collection, index),
      ),
    }));
  }

  /**
   * Events of other partitions' merchants are ignored. An event that names no merchant belongs to a document that an
   * earlier event with a merchant created: if this partition has no such document, another one has it.
   */
  private restricted<D extends Document, E extends DomainEvent>(
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

/** The name of a partition's projection, such as `payments` for `payments:0/4`. */
export function wholeName(partition: string): string {
  const end = partition.indexOf(':');
  return end === -1 ? partition : partition.slice(0, end);
}

function merchantOf({ data }: StoredEvent<DomainEvent>): string | null {
  const { merchantId } = data as { readonly merchantId?: unknown };
  return typeof merchantId === 'string' ? merchantId : null;
}
