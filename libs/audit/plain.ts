/** A value as JSON has it. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [name: string]: Plain };

/** The value as it would be stored: amounts as decimal strings, maps as objects, nothing that is undefined. */
export function plain(value: unknown): Plain {
  return JSON.parse(JSON.stringify(value, spelled) ?? 'null') as Plain;
}

function spelled(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Map ? Object.fromEntries(value) : value;
}

/** A field in which two values differ. */
export interface FieldDifference {
  /** Such as `body.transactions[1].status`; empty if the values as a whole differ. */
  readonly field: string;
  /** Undefined where there is none. */
  readonly before: Plain | undefined;
  readonly after: Plain | undefined;
}

/**
 * Every field that differs, down to the innermost that both have. The order of an object's fields does not count.
 */
export function differencesOf(
  before: Plain | undefined,
  after: Plain | undefined,
  field = '',
): readonly FieldDifference[] {
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) {
    return before === after ? [] : [{ field, before, after }];
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    differencesOf(member(before, name), member(after, name), nameOf(field, name, Array.isArray(before))),
  );
}

type Container = readonly Plain[] | { readonly [name: string]: Plain };

function isContainer(value: Plain | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

function member(of: Container, name: string): Plain | undefined {
  return Object.hasOwn(of, name) ? (of as { readonly [name: string]: Plain })[name] : undefined;
}

function nameOf(field: string, name: string, isIndex: boolean): string {
  if (isIndex) return `${field}[${name}]`;
  return field === '' ? name : `${field}.${name}`;
}
