import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A text as it may be hidden in some bytes: plain or encoded. */
export interface Needle {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The ways in which a card number may have been written. */
export function writingsOf(number: string): readonly Needle[] {
  const groups = (separator: string) => number.replace(/(\d{4})(?=\d)/g, `$1${separator}`);
  const texts: Record<string, string> = {
    plain: number,
    'with blanks': groups(' '),
    'with dashes': groups('-'),
    reversed: [...number].reverse().join(''),
    escaped: [...number].map((digit) => `\\u003${digit}`).join(''),
  };
  const hex = Buffer.from(number).toString('hex');
  const needles = Object.entries(texts).map(([name, text]) => ({ name, bytes: Buffer.from(text) }));
  return [
    ...needles,
    { name: 'hexadecimal', bytes: Buffer.from(hex) },
    { name: 'packed', bytes: Buffer.from(number, 'hex') },
    { name: 'UTF-16', bytes: Buffer.from(number, 'utf16le') },
    ...[0, 1, 2].map((offset) => ({ name: `base64 at ${offset}`, bytes: base64At(number, offset) })),
  ];
}

/** The part of a text's base64, starting `offset` bytes into a triple, that doesn't depend on the surrounding bytes. */
function base64At(text: string, offset: number): Buffer {
  const encoded = Buffer.from('\0'.repeat(offset) + text)
    .toString('base64')
    .replace(/=+$/, '');
  const first = Math.ceil((offset * 8) / 6);
  const length = offset + text.length;
  return Buffer.from(encoded.slice(first, Math.floor((length * 8) / 6)));
}

/** Where the needles are found, by place and encoding. Ignores case. */
export function findIn(place: string, haystack: Buffer, needles: readonly Needle[]): readonly string[] {
  const lower = Buffer.from(haystack.toString('latin1').toLowerCase(), 'latin1');
  return needles
    .filter(({ bytes }) => {
      const lowered = Buffer.from(bytes.toString('latin1').toLowerCase(), 'latin1');
      return lower.includes(lowered);
    })
    .map(({ name }) => `${place}: ${name}`);
}

/**
 * Searches every file in the folder, and every value of every table in SQLite files, because pages may split a value.
 */
export function findInFolder(folder: string, needles: readonly Needle[]): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const found = findIn(entry.name, readFileSync(path), needles);
    // The lock's database is empty, and locked as long as the service runs.
    const isReadable = entry.name.endsWith('.sqlite') && entry.name !== 'lock.sqlite';
    return isReadable ? [...found, ...findInDatabase(path, entry.name, needles)] : found;
  });
}

function findInDatabase(path: string, name: string, needles: readonly Needle[]): readonly string[] {
  const db = new DatabaseSync(path, { readOnly: true, readBigInts: true });
  try {
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return tables.flatMap(({ name: table }) => {
      const found = new Set<string>();
      for (const row of db.prepare(`SELECT * FROM "${String(table)}"`).iterate()) {
        for (const value of Object.values(row)) {
          const bytes = value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value));
          for (const place of findIn(`${name}, ${String(table)}`, bytes, needles)) found.add(place);
        }
      }
      return [...found];
    });
  } finally {
    db.close();
  }
}
