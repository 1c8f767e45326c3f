import type { Document, DocumentWrite } from '../read-store';
/** So many documents make a generation, and two are held. */
const GENERATION = 10_000;

/**
 * The documents that a projector has written last, so that they are at hand for their next event. Where another one writes to
 * the same version, the next commit is fenced off, and with it goes what stands here.
 */
export class RecentDocuments {
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
