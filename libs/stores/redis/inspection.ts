import {
  type Inspected,
  type InspectedCollection,
  type InspectedPage,
  type ListEntry,
  type ProjectionVersions,
  ReadStoreInspection,
  type StoredDocument,
  type StoredEntry,
} from '@app/event-sourcing';
import { parsedDocument } from '@app/stores/parsed-document';
import type { Argument, Connection } from './connection';
import { type CollectionKeys, type Keys, unescaped } from './keys';
import { INSPECT_DOCUMENTS, INSPECT_ENTRIES, INSPECT_KEYS } from './scripts/inspection';
import type { Script } from './scripts/script';
import { parseVersions } from './version-texts';

/** Keys or entries per page: Redis does nothing else meanwhile, for about a millisecond. */
const PAGE = 500;

/** Reads the keys of the read store as they are. Each read is one script, which writes nothing. */
export class RedisInspection extends ReadStoreInspection {
  constructor(
    private readonly connection: Connection,
    private readonly names: Keys,
  ) {
    super();
  }

  override async versions(projection: string): Promise<ProjectionVersions> {
    const meta = this.names.meta(projection);
    const flat = await this.connection.run('Reading', (client) => client.call('HGETALL', meta));
    return parseVersions(projection, flat as readonly string[]);
  }

  override async documents(
    of: InspectedCollection,
    keys: readonly string[],
  ): Promise<Inspected<StoredDocument> | null> {
    const kinds = ['documents', 'places', 'lists'] as const;
    const answer = await this.ask(INSPECT_DOCUMENTS, of, kinds, keys);
    if (answer === null) return null;
    const found = keys.map((key, index): StoredDocument => {
      const [body = null, entries, unlisted] = answer.rest.slice(3 * index, 3 * index + 3);
      const document = body === null ? null : (parsedDocument(body) ?? 'unreadable');
      return { key, document, entries: entriesOf(entries ?? ''), unlisted: entriesOf(unlisted ?? '') };
    });
    return { position: answer.position, found };
  }

  override async keys(of: InspectedCollection, from: string | null): Promise<InspectedPage<string> | null> {
    const answer = await this.ask(INSPECT_KEYS, of, ['documents'], [from ?? '0', PAGE]);
    if (answer === null) return null;
    const [cursor, ...found] = answer.rest as readonly string[];
    return { position: answer.position, found, next: cursor === '0' || cursor === undefined ? null : cursor };
  }

  override async entries(of: InspectedCollection, from: string | null): Promise<InspectedPage<StoredEntry> | null> {
    const answer = await this.ask(INSPECT_ENTRIES, of, ['lists'], [from === null ? '-' : `(${from}`, PAGE]);
    if (answer === null) return null;
    const members = answer.rest as readonly string[];
    const found = members.map((member): StoredEntry => {
      const [list = '', order = '', key = ''] = member.split('\0');
      return { list: unescaped(list), order, key: unescaped(key) };
    });
    return { position: answer.position, found, next: members.length < PAGE ? null : (members.at(-1) ?? null) };
  }

  override async close(): Promise<void> {
    await this.connection.close();
  }

  private async ask(
    script: Script,
    { projection, collection, version }: InspectedCollection,
    kinds: readonly (keyof CollectionKeys)[],
    args: readonly Argument[],
  ): Promise<{ readonly position: bigint; readonly rest: readonly (string | null)[] } | null> {
    const ofCollection = this.names.ofCollection(projection, String(version), collection);
    const keys = [this.names.meta(projection), ...kinds.map((kind) => ofCollection[kind])];
    const answer = await this.connection.script('Inspecting', script, keys, [version, ...args]);
    const [position, ...rest] = answer as readonly (string | null)[];
    if (position === undefined) return null;
    return { position: position === '' || position === null ? -1n : BigInt(position), rest };
  }
}

/** `<list> NUL <order>`, separated by `\x02`. */
function entriesOf(text: string): readonly ListEntry[] {
  if (text === '') return [];
  return text.split('\x02').map((entry) => {
    const [list = '', order = ''] = entry.split('\0');
    return { list: unescaped(list), order };
  });
}
