import { SqliteReadStore } from '@app/stores/sqlite/read-store/sqlite-read-store';

/** A read store for specs and simulations: SQLite in memory, which ends with the object. */
export class MemoryReadStore extends SqliteReadStore {
  constructor() {
    super('in memory');
  }
}
