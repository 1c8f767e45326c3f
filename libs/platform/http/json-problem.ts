import { type JSONPath, visit } from 'jsonc-parser';
import { fieldPath } from './validation/field-path';

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether a careless reader would reach an object's prototype through this key. */
export function isForbiddenKey(key: string): boolean {
  return FORBIDDEN_KEYS.has(key);
}

/** Stops reading at the first problem; anything reported after it is unreliable. */
class JsonProblem extends Error {}

/**
 * The first reason why a text is refused as JSON, and its place. The message quotes nothing of the text but the path of
 * a key, shown as restricted as any field's path: the text may contain a card number. Use it only for refused texts; it
 * is slower than JSON.parse.
 */
export function firstJsonProblem(text: string): string {
  const refuse = (problem: string, offset: number): never => {
    throw new JsonProblem(`${problem} at ${placeIn(text, offset)}.`);
  };
  const checkSurrogates = (written: unknown, offset: number) => {
    if (typeof written === 'string' && !written.isWellFormed()) {
      refuse('The body holds an escape that is half of a surrogate pair', offset);
    }
  };
  const keys: Set<string>[] = [];
  const takeKey = (key: string, offset: number, pathOf: () => JSONPath) => {
    checkSurrogates(key, offset);
    if (isForbiddenKey(key)) refuse(`The body holds the key ${key}, which is not allowed anywhere,`, offset);
    const known = keys.at(-1);
    if (known?.has(key) === true) refuse(`The body repeats the key ${fieldPath([...pathOf(), key])}`, offset);
    known?.add(key);
  };
  const visitor = {
    onError: (_code: number, offset: number) => refuse('The body is not valid JSON: it breaks', offset),
    onObjectBegin: () => void keys.push(new Set()),
    onObjectEnd: () => void keys.pop(),
    onObjectProperty: (
      key: string,
      offset: number,
      _length: number,
      _line: number,
      _column: number,
      pathOf: () => JSONPath,
    ) => takeKey(key, offset, pathOf),
    onLiteralValue: (value: unknown, offset: number) => checkSurrogates(value, offset),
  };
  try {
    visit(text, visitor, { disallowComments: true });
  } catch (error) {
    if (error instanceof JsonProblem) return error.message;
    throw error;
  }
  return 'The body is not valid JSON.';
}

/** Line and column count from 1; columns are UTF-16 code units, as in editors. */
export function placeIn(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (let index = 0; index < offset; index += 1) {
    if (text[index] === '\n' || (text[index] === '\r' && text[index + 1] !== '\n')) {
      line += 1;
      start = index + 1;
    }
  }
  return `line ${line}, column ${offset - start + 1}`;
}
