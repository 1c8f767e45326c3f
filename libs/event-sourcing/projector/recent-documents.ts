import type { Document } from '../read-store';
import type { SizedWrite } from './sized-write';

/** Documents of so many characters make a generation, and two are held, by every projector of a process. */
export const GENERATION_SIZE = 1024 * 1024;

/**
 * The documents that a projector has written last, so that they are at hand for their next event. Where another one writes to
 * the same version, the next commit is fenced off, and with it goes what stands here.
 */
export class RecentDocuments {
  #young = new Map<string, SizedWrite>();
  #old = new Map<string, SizedWrite>();
  #youngSize = 0;

  /** Null where it was removed; undefined where nothing is known of it. */
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
