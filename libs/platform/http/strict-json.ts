import { isUtf8 } from 'node:buffer';
import { firstJsonProblem, isForbiddenKey, placeIn } from './json-problem';

export type StrictJson =
  | { readonly value: Readonly<Record<string, unknown>> }
  /** What is wrong, and where. Quotes nothing of the text but a key: the text may contain a card number. */
  | { readonly problem: string };

/** Nesting levels, the outermost included. */
export const MAX_JSON_DEPTH = 32;
/** Members of all objects together: several times as many as the largest valid request has. */
export const MAX_JSON_MEMBERS = 4_000;

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPENING = [0x7b, 0x5b] as const;
const CLOSING = [0x7d, 0x5d] as const;

/**
 * Parses one JSON object (RFC 8259). Refuses whatever two parsers could read differently or could not be written back
 * unchanged: repeated keys, invalid UTF-8, a byte order mark, lone surrogates, keys that reach an object's prototype,
 * more than 32 levels, more than 4,000 members. Linear in the body's length.
 */
export function parseStrictJson(body: Uint8Array): StrictJson {
  if (body.length === 0) return { problem: 'The body is empty: send a JSON object.' };
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  if (!isUtf8(body))
    return { problem: `The body is not valid UTF-8 behind its first ${validBytes(body, text)} bytes.` };
  // Refuses what is expensive to parse before parsing it.
  const outline = outlineOf(text);
  if ('problem' in outline) return { problem: `${outline.problem} at ${placeIn(text, outline.index)}.` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
    return { problem: firstJsonProblem(text) };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'The body must be a JSON object.' };
  }
  const inspection = new Inspection();
  inspection.visit(value);
  // A repeated key, in any spelling, leaves fewer members than were written.
  const isTaken = inspection.isTaken && outline.members === inspection.members;
  return isTaken ? { value: value as Readonly<Record<string, unknown>> } : { problem: firstJsonProblem(text) };
}

/** The length in bytes of the valid part: everything before the first invalid byte is encoded back unchanged. */
function validBytes(body: Uint8Array, text: string): number {
  return Buffer.from(text).findIndex((byte, index) => byte !== body[index]);
}

class Inspection {
  members = 0;
  isTaken = true;

  visit(value: object): void {
    if (Array.isArray(value)) {
      for (const element of value) this.visitMember(element);
      return;
    }
    // Twice as fast as Object.entries.
    const object = value as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(object)) {
      this.members += 1;
      if (isForbiddenKey(key) || !key.isWellFormed()) this.isTaken = false;
      this.visitMember(object[key]);
    }
  }

  private visitMember(member: unknown): void {
    if (typeof member === 'string') {
      if (!member.isWellFormed()) this.isTaken = false;
    } else if (typeof member === 'object' && member !== null && this.isTaken) {
      this.visit(member);
    }
  }
}

/** Reliable only for valid JSON. For any other text it only means that the parser may try it. */
export type Outline = { readonly members: number } | { readonly problem: string; readonly index: number };

/** How many members the text's objects were written with: the colons outside strings. Reads each character once. */
export function outlineOf(text: Pick<string, 'length' | 'charCodeAt'>): Outline {
  let members = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) {
      index = endOfString(text, index);
    } else if (unit === COLON) {
      members += 1;
      if (members > MAX_JSON_MEMBERS) return { problem: `The body has more than ${MAX_JSON_MEMBERS} members`, index };
    } else if (unit === OPENING[0] || unit === OPENING[1]) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return { problem: `The body nests deeper than ${MAX_JSON_DEPTH} levels`, index };
    } else if (unit === CLOSING[0] || unit === CLOSING[1]) {
      depth -= 1;
    }
  }
  return { members };
}

/** The index of the quote that closes the string opened at `start`; at least the text's length if there is none. */
function endOfString(text: Pick<string, 'length' | 'charCodeAt'>, start: number): number {
  let index = start + 1;
  for (; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) break;
    if (unit === BACKSLASH) index += 1;
  }
  return index;
}
