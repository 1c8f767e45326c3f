import { assert } from '@app/event-sourcing';

/** The kinds of keys that one collection of one version has, in the order in which scripts get them. */
const KINDS = ['documents', 'places', 'lists'] as const;
type Kind = (typeof KINDS)[number];

/** The keys of one collection of one version of a projection. */
export type CollectionKeys = Readonly<Record<Kind, string>>;

/**
 * The names of all keys: `<prefix>{<projection>}:…`. In a Redis Cluster only the part in braces determines the slot,
 * so that all keys of a script are in one slot. See docs/guides/redis.md.
 */
export class Keys {
  constructor(private readonly prefix: string) {
    assert(/^[^{}]*$/.test(prefix), 'a brace in the prefix would determine the slot');
  }

  /** The channel for hints about changed projections. */
  get channel(): string {
    return `${this.prefix}advanced`;
  }

  /** The installation's id. */
  get installation(): string {
    return `${this.prefix}installation`;
  }

  /** The versions with their checkpoints. */
  meta(projection: string): string {
    return `${this.base(projection)}meta`;
  }

  /** The numbers of dead versions, whose documents are still to be removed. */
  dead(projection: string): string {
    return `${this.base(projection)}dead`;
  }

  /** The names of a version's collections. */
  collections(projection: string, version: string): string {
    return `${this.base(projection)}v${version}`;
  }

  ofCollection(projection: string, version: string, collection: string): CollectionKeys {
    const base = `${this.base(projection)}v${version}:`;
    const name = encoded(collection);
    const keys = KINDS.map((kind) => [kind, `${base}${kind}:${name}`] as const);
    return Object.fromEntries(keys) as Record<Kind, string>;
  }

  /** The holders of a lease, with its end for each. */
  holders(lease: string): string {
    return `${this.prefix}{holders:${encoded(lease)}}`;
  }

  private base(projection: string): string {
    return `${this.prefix}{${encoded(projection, SPECIAL_IN_BRACES)}}:`;
  }
}

export function allOf(keys: CollectionKeys): readonly string[] {
  return KINDS.map((kind) => keys[kind]);
}

const SPECIAL = /[^A-Za-z0-9_.~/-]/gu;
const SPECIAL_IN_BRACES = /[^A-Za-z0-9_.~/:-]/gu;

/** Encodes any text for a key's name. Never empty: Redis ignores empty braces. */
function encoded(text: string, special = SPECIAL): string {
  if (text === '') return '%';
  const bytes = (character: string) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return text.replace(special, bytes);
}

/**
 * Escapes any text for a member, in which NUL is the separator, or for a document's list entries, which `\x02`
 * separates. The result sorts like the text itself.
 */
export function escaped(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are escaped
  return text.replace(/[\0\x01\x02]/g, (character) => ESCAPES[character] ?? character);
}

export function unescaped(text: string): string {
  // eslint-disable-next-line no-control-regex -- the escapes begin with one
  return text.replace(/\x01([abc])/g, (_, letter: string) => UNESCAPES[letter] ?? '');
}

const ESCAPES: Readonly<Record<string, string>> = { '\0': '\x01a', '\x01': '\x01b', '\x02': '\x01c' };
const UNESCAPES: Readonly<Record<string, string>> = { a: '\0', b: '\x01', c: '\x02' };
