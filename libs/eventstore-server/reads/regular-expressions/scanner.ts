import { type CharacterSet, complement, DIGIT, namedSet, SPACE, WORD, WORD_OR_JOINER } from './character-set';
import { ExpressionError } from './syntax-tree';

/** An expression, and how far it has been read. */
export interface Scanner {
  readonly source: string;
  at: number;
}

export type Escape = { readonly unit: number } | { readonly set: CharacterSet };

const CONTROL_LETTERS: Readonly<Record<string, number>> = { a: 7, b: 8, e: 27, f: 12, n: 10, r: 13, t: 9, v: 11 };
const CLASSES: Readonly<Record<string, CharacterSet>> = {
  w: WORD,
  W: complement(WORD),
  d: DIGIT,
  D: complement(DIGIT),
  s: SPACE,
  S: complement(SPACE),
};

/** What follows a backslash, inside or outside a class. @throws ExpressionError */
export function readEscape(scanner: Scanner, ignoresCase: boolean): Escape {
  const { source, at } = scanner;
  const letter = source[at];
  if (letter === undefined) throw new ExpressionError('a \\ stands at its end');
  const set = CLASSES[letter];
  if (set !== undefined) {
    scanner.at += 1;
    return { set };
  }
  if (letter === 'p' || letter === 'P') return { set: readNamedSet(scanner, ignoresCase) };
  return { unit: readEscapedUnit(scanner) };
}

function readNamedSet(scanner: Scanner, ignoresCase: boolean): CharacterSet {
  const [text, letter, name] = /^([pP])\{([^{}]+)\}/.exec(scanner.source.slice(scanner.at)) ?? [];
  if (text === undefined || name === undefined) throw new ExpressionError('\\p is followed by a name in braces');
  scanner.at += text.length;
  const set = namedSet(name, ignoresCase);
  return letter === 'p' ? set : complement(set);
}

function readEscapedUnit(scanner: Scanner): number {
  const rest = scanner.source.slice(scanner.at);
  const [letter = ''] = rest;
  const octal = /^[0-7]{1,3}/.exec(rest)?.[0];
  if (octal !== undefined) {
    scanner.at += octal.length;
    return Number.parseInt(octal, 8) & 0xff;
  }
  if (letter === 'x' || letter === 'u') return readHex(scanner, letter === 'x' ? 2 : 4);
  if (letter === 'c') return readControl(scanner);
  scanner.at += 1;
  const control = CONTROL_LETTERS[letter];
  if (control !== undefined) return control;
  const unit = letter.charCodeAt(0);
  if (WORD_OR_JOINER.has(unit)) throw new ExpressionError(`there is no \\${letter}`);
  return unit;
}

function readHex(scanner: Scanner, length: number): number {
  const digits = scanner.source.slice(scanner.at + 1, scanner.at + 1 + length);
  if (digits.length < length || !/^[0-9a-f]+$/i.test(digits)) {
    throw new ExpressionError(`\\${scanner.source[scanner.at]} is followed by ${length} hexadecimal digits`);
  }
  scanner.at += 1 + length;
  return Number.parseInt(digits, 16);
}

function readControl(scanner: Scanner): number {
  const unit = (scanner.source[scanner.at + 1] ?? '').replace(/[a-z]/, (letter) => letter.toUpperCase()).charCodeAt(0);
  const control = unit - 0x40;
  if (!(control >= 0 && control < 0x20)) throw new ExpressionError('\\c is followed by a letter');
  scanner.at += 2;
  return control;
}
