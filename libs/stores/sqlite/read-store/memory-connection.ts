import { DatabaseSync } from 'node:sqlite';
import { ReadStoreUnavailableError } from '@app/event-sourcing';
import { Connection, type Opened, openedOn } from './connection';
import { createTables } from './schema';

/** A connection to a private in-memory database, which ends with the connection. */
export class MemoryConnection extends Connection {
  private readonly opened: Opened;
  private isClosed = false;

  constructor() {
    super();
    const db = new DatabaseSync(':memory:');
    createTables(db);
    this.opened = openedOn(db);
  }

  override checkInPlace(): void {
    this.guarded(() => undefined);
  }

  override async room(): Promise<void> {}

  override async close(): Promise<void> {
    if (!this.isClosed) this.opened.db.close();
    this.isClosed = true;
  }

  protected override guarded<T>(work: (opened: Opened) => T): T {
    if (this.isClosed) throw new ReadStoreUnavailableError('The read store is closed');
    return work(this.opened);
  }
}
