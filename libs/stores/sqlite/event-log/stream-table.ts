import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { categoryOf, NO_REVISION } from './log-event';
import { METADATA_PREFIX, type StreamMetadata } from './stream-metadata';

/** A stream as the writer knows it. It is the only writer, so its cache always matches the file. */
export interface StreamHead {
  readonly name: string;
  /** Null until its first event is written. */
  ids: { readonly stream: bigint; readonly category: bigint } | null;
  lastRevision: bigint;
  /** For a metadata stream, once read: what its last event says. */
  metadata?: StreamMetadata | undefined;
}

const MAX_REMEMBERED = 16_384;

/** Integer ids of streams and categories, and each stream's last revision. Caches those last used. */
export class StreamTable {
  /** Ordered by last use. */
  private readonly heads = new Map<string, StreamHead>();
  private readonly findStream: StatementSync;
  private readonly findCategory: StatementSync;
  private readonly addStream: StatementSync;
  private readonly addCategory: StatementSync;
  private readonly findMetadata: StatementSync;
  /** Whether there is any metadata stream. Without one, no append has to look for it. */
  private hasMetadata: boolean;

  constructor(database: DatabaseSync) {
    this.findStream = database.prepare(
      `SELECT id, category_id, (SELECT max(revision) FROM events WHERE stream_id = streams.id)
       FROM streams WHERE name = ?`,
    );
    this.findCategory = database.prepare('SELECT id FROM categories WHERE name = ?');
    this.addStream = database.prepare('INSERT INTO streams (name, category_id) VALUES (?, ?) RETURNING id');
    this.addCategory = database.prepare('INSERT INTO categories (name) VALUES (?) RETURNING id');
    this.findMetadata = database.prepare("SELECT 1 FROM categories WHERE name >= '$$' AND name < '$%' LIMIT 1");
    this.hasMetadata = this.findMetadata.get() !== undefined;
  }

  head(name: string): StreamHead {
    const known = this.heads.get(name);
    const head = known ?? this.load(name);
    if (known !== undefined) this.heads.delete(name);
    this.heads.set(name, head);
    if (this.heads.size > MAX_REMEMBERED) this.heads.delete(this.heads.keys().next().value ?? name);
    return head;
  }

  /** The metadata stream of this stream, or null if there is none. */
  metadataOf(name: string): StreamHead | null {
    if (!this.hasMetadata) return null;
    const head = this.head(METADATA_PREFIX + name);
    return head.lastRevision === NO_REVISION ? null : head;
  }

  /** The ids of the stream; adds it to the tables if it is new. */
  idsOf(head: StreamHead): NonNullable<StreamHead['ids']> {
    return (head.ids ??= this.enter(head.name));
  }

  /** Forgets everything: what a failed transaction added does not exist. */
  forget(): void {
    this.heads.clear();
    this.hasMetadata = this.findMetadata.get() !== undefined;
  }

  private load(name: string): StreamHead {
    const row = this.findStream.get(name) as unknown as [bigint, bigint, bigint | null] | undefined;
    if (row === undefined) return { name, ids: null, lastRevision: NO_REVISION };
    const [stream, category, lastRevision] = row;
    return { name, ids: { stream, category }, lastRevision: lastRevision ?? NO_REVISION };
  }

  private enter(name: string): NonNullable<StreamHead['ids']> {
    const categoryName = categoryOf(name);
    const found = this.findCategory.get(categoryName) as unknown as [bigint] | undefined;
    const [category] = found ?? (this.addCategory.get(categoryName) as unknown as [bigint]);
    this.hasMetadata ||= name.startsWith(METADATA_PREFIX);
    const [stream] = this.addStream.get(name, category) as unknown as [bigint];
    return { stream, category };
  }
}
