import type { Document, DocumentWrite } from '../read-store';
import type { RecentDocuments } from './version-follower';

/** So many documents make a generation, and two are held. */
const GENERATION = 10_000;

/** The documents that a build has written last: it alone writes them, so that they are as they stand in the store. */
export class BuildDocuments implements RecentDocuments {
  #young = new Map<string, Document | null>();
  #old = new Map<string, Document | null>();

  get(collection: string, key: string): Document | null | undefined {
    const name = nameOf(collection, key);
    const young = this.#young.get(name);
    return young === undefined ? this.#old.get(name) : young;
  }

  keep(writes: readonly DocumentWrite[]): void {
    for (const { collection, key, document } of writes) this.#young.set(nameOf(collection, key), document);
    if (this.#young.size < GENERATION) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}

function nameOf(collection: string, key: string): string {
  return `${collection}\0${key}`;
}
