import type { Document } from '../read-store';
import type { SizedWrite } from './sized-write';

/** The size of a generation, in characters. Every projector of a process holds two generations. */
export const GENERATION_SIZE = 1024 * 1024;

/**
 * Caches the documents that a projector wrote last, for their next events. If another projector writes to the same
 * version, the next commit is fenced and the cache is dropped, so it never yields a wrong document.
 */
export class RecentDocuments {
  #young = new Map<string, SizedWrite>();
  #old = new Map<string, SizedWrite>();
  #youngSize = 0;

  /** Null if the document was removed; undefined if it is not cached. */
  get(name: string): Document | null | undefined {
    return (this.#young.get(name) ?? this.#old.get(name))?.write.document;
  }

  keep(writes: readonly SizedWrite[]): void {
    for (const write of writes) {
      if (this.#youngSize >= GENERATION_SIZE) this.#turn();
      this.#youngSize += write.size - (this.#young.get(write.name)?.size ?? 0);
      this.#young.set(write.name, write);
    }
  }

  #turn(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngSize = 0;
  }
}
