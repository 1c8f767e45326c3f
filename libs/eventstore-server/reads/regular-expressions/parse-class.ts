import { type CharacterSet, complement, difference, ignoringCase, ofRanges, type Range, union } from './character-set';
import { readEscape, type Scanner } from './scanner';
import { ExpressionError } from './syntax-tree';

const DASH = 0x2d;

/** A character class, from after its `[` to after its `]`. @throws ExpressionError */
export function parseClass(scanner: Scanner, ignoresCase: boolean): CharacterSet {
  const { source } = scanner;
  const isNegative = source[scanner.at] === '^';
  if (isNegative) scanner.at += 1;
  const ranges: Range[] = [];
  const classes: CharacterSet[] = [];
  let without: CharacterSet | null = null;
  const peek = (): string | undefined => source[scanner.at];
  const subtract = (): void => {
    without = parseClass(scanner, ignoresCase);
    if (peek() !== ']') throw new ExpressionError('a subtracted class is the last part of a class');
  };
  for (let isFirst = true; isFirst || peek() !== ']'; isFirst = false) {
    const item = readItem(scanner, ignoresCase);
    if ('set' in item) {
      classes.push(item.set);
      continue;
    }
    const { unit, isEscaped } = item;
    if (!isEscaped && unit === DASH && !isFirst && peek() === '[') {
      scanner.at += 1;
      subtract();
      continue;
    }
    // An escaped dash does not begin a range.
    const beginsRange = peek() === '-' && source[scanner.at + 1] !== ']' && source[scanner.at + 1] !== undefined;
    if (!beginsRange || (isEscaped && unit === DASH)) {
      ranges.push([unit, unit]);
      continue;
    }
    scanner.at += 1;
    if (peek() === '[') {
      scanner.at += 1;
      ranges.push([unit, unit]);
      subtract();
      continue;
    }
    ranges.push(readRange(scanner, unit));
  }
  scanner.at += 1;
  const listed = ofRanges(ranges);
  const whole = union([ignoresCase ? ignoringCase(listed) : listed, ...classes]);
  const judged = isNegative ? complement(whole) : whole;
  return without === null ? judged : difference(judged, without);
}

type Item = { readonly unit: number; readonly isEscaped: boolean } | { readonly set: CharacterSet };

function readItem(scanner: Scanner, ignoresCase: boolean): Item {
  const { source, at } = scanner;
  if (at >= source.length) throw new ExpressionError('a ] is missing');
  scanner.at += 1;
  if (source[at] !== '\\') return { unit: source.charCodeAt(at), isEscaped: false };
  return { isEscaped: true, ...readEscape(scanner, ignoresCase) };
}

function readRange(scanner: Scanner, first: number): Range {
  const last = readItem(scanner, false);
  if ('set' in last) throw new ExpressionError('a range ends with a class of characters');
  if (last.unit < first) throw new ExpressionError('a range goes backwards');
  return [first, last.unit];
}
