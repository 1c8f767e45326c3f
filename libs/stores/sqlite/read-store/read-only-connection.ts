import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ReadStoreUnavailableError } from '@app/event-sourcing';
import { Connection, type Opened, openedOn } from './connection';
import { pathOf } from './file';
import { APPLICATION_ID, SCHEMA_VERSION, schemaOf } from './schema';

const BUSY_TIMEOUT_MS = 2_000;

/** A connection that can only read. Unlike the service's own, it replaces no file, damaged or not. */
export class ReadOnlyConnection extends Connection {
  private readonly opened: Opened;
  private readonly path: string;

  /** @throws ReadStoreUnavailableError */
  constructor(dataDir: string) {
    super();
    this.path = pathOf(dataDir);
    if (!existsSync(this.path)) throw new ReadStoreUnavailableError(`There are no read models in ${dataDir}`);
    this.opened = this.reading(() => this.open());
  }

  override checkInPlace(): void {}

  override async room(): Promise<void> {}

  override async close(): Promise<void> {
    if (this.opened.db.isOpen) this.opened.db.close();
  }

  protected override guarded<T>(work: (opened: Opened) => T): T {
    return this.reading(() => work(this.opened));
  }

  private open(): Opened {
    const db = new DatabaseSync(this.path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    const { application, version } = schemaOf(db);
    if (application === APPLICATION_ID && version === SCHEMA_VERSION) return openedOn(db);
    db.close();
    throw new ReadStoreUnavailableError(`${this.path} holds no read models of this release`);
  }

  private reading<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof ReadStoreUnavailableError) throw error;
      throw new ReadStoreUnavailableError(`${this.path} can't be read: ${(error as Error).message}`, { cause: error });
    }
  }
}
