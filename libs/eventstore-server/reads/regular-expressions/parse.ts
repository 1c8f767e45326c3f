import { ANY, ignoringCase, NOT_NEWLINE, single, WORD_OR_JOINER } from './character-set';
import { parseClass } from './parse-class';
import { readEscape, type Scanner } from './scanner';
import { type Assertion, ExpressionError, type Node, NOTHING } from './syntax-tree';

/** .NET's inline options that affect matching. */
interface Options {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly singleLine: boolean;
  readonly ignoreBlanks: boolean;
}

const NO_OPTIONS: Options = { ignoreCase: false, multiline: false, singleLine: false, ignoreBlanks: false };
const OPTION_NAMES: Readonly<Record<string, keyof Options | null>> = {
  i: 'ignoreCase',
  m: 'multiline',
  s: 'singleLine',
  x: 'ignoreBlanks',
  // Only affects which groups have numbers.
  n: null,
};
const BLANKS = '\t\n\f\r ';
const MAX_DEPTH = 100;
const MAX_COUNT = 0x7fff_ffff;
const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: 'start',
  // Where the previous match ended; for the first match, the start.
  G: 'start',
  Z: 'end',
  z: 'very-end',
  b: 'word-boundary',
  B: 'no-word-boundary',
};

/** .NET's dialect. @throws ExpressionError for an invalid expression, or one that needs backtracking. */
export function parse(source: string): Node {
  const parser = new Parser({ source, at: 0 });
  return parser.parse();
}

class Parser {
  private options = NO_OPTIONS;
  private depth = 0;

  constructor(private readonly scanner: Scanner) {}

  parse(): Node {
    const node = this.choice();
    if (this.scanner.at < this.scanner.source.length) throw new ExpressionError('there is a ) too many');
    return node;
  }

  /** Up to the group's end; options set inside end with it. */
  private choice(): Node {
    if (++this.depth > MAX_DEPTH) throw new ExpressionError(`groups are nested more than ${MAX_DEPTH} deep`);
    const { options } = this;
    const branches = [this.sequence()];
    while (this.take('|')) branches.push(this.sequence());
    this.options = options;
    this.depth -= 1;
    const [only] = branches;
    return branches.length === 1 && only !== undefined ? only : { kind: 'choice', nodes: branches };
  }

  private sequence(): Node {
    const nodes: Node[] = [];
    for (this.skipBlanks(); !this.isAtEndOfSequence(); this.skipBlanks()) {
      const unit = this.unit();
      if (unit !== null) nodes.push(this.repeated(unit));
    }
    return { kind: 'sequence', nodes };
  }

  private isAtEndOfSequence(): boolean {
    const next = this.peek();
    return next === undefined || next === '|' || next === ')';
  }

  /** Null for a construct that sets options and matches nothing. */
  private unit(): Node | null {
    if (this.isQuantifier()) throw new ExpressionError(`there is nothing before ${this.peek()} to repeat`);
    const next = this.next();
    switch (next) {
      case '[':
        return { kind: 'character', set: parseClass(this.scanner, this.options.ignoreCase) };
      case '(':
        return this.group();
      case '.':
        return { kind: 'character', set: this.options.singleLine ? ANY : NOT_NEWLINE };
      case '^':
        return { kind: 'assertion', assertion: this.options.multiline ? 'line-start' : 'start' };
      case '$':
        return { kind: 'assertion', assertion: this.options.multiline ? 'line-end' : 'end' };
      case '\\':
        return this.escape();
      default:
        return this.character(next.charCodeAt(0));
    }
  }

  private escape(): Node {
    const next = this.peek();
    const assertion = next === undefined ? undefined : ASSERTIONS[next];
    if (assertion !== undefined) {
      this.next();
      return { kind: 'assertion', assertion };
    }
    if (next !== undefined && /[1-9k<']/.test(next)) throw needsBacktracking(`a reference to a group (\\${next})`);
    const escape = readEscape(this.scanner, this.options.ignoreCase);
    return 'set' in escape ? { kind: 'character', set: escape.set } : this.character(escape.unit);
  }

  private character(unit: number): Node {
    const set = single(unit);
    return { kind: 'character', set: this.options.ignoreCase ? ignoringCase(set) : set };
  }

  private group(): Node | null {
    const { options } = this;
    if (!this.take('?')) return this.closed(this.choice());
    if (this.take(':')) return this.closed(this.choice());
    if (this.take('>')) throw needsBacktracking('an atomic group (?>…)');
    if (this.take('(')) return this.condition();
    const look = /^(<?)([=!])/.exec(this.rest());
    if (look !== null) {
      this.scanner.at += look[0].length;
      const node = this.closed(this.choice());
      return { kind: 'look', isBehind: look[1] === '<', isNegative: look[2] === '!', node };
    }
    if (this.peek() === '<' || this.peek() === "'") {
      this.groupName();
      return this.closed(this.choice());
    }
    this.readOptions();
    if (this.take(')')) return null;
    if (!this.take(':')) throw new ExpressionError('a group is opened in a way that there is not');
    const node = this.closed(this.choice());
    this.options = options;
    return node;
  }

  private groupName(): void {
    const close = this.next() === '<' ? '>' : "'";
    const end = this.scanner.source.indexOf(close, this.scanner.at);
    const name = end < 0 ? '' : this.scanner.source.slice(this.scanner.at, end);
    this.scanner.at = end + 1;
    if (name.includes('-')) throw needsBacktracking('a balancing group (?<a-b>…)');
    const isNumber = /^[1-9][0-9]{0,8}$/.test(name);
    const isName = name !== '' && !/^[0-9]/.test(name) && isAll(name, WORD_OR_JOINER.has);
    if (!isNumber && !isName) throw new ExpressionError('a group has a name that is none');
  }

  /** `(?(a)b|c)`: if `a` matches from here, `b` must match, otherwise `c`. */
  private condition(): Node {
    const word = /^([^()?\s]+)\)/.exec(this.rest());
    if (word?.[1] !== undefined && isAll(word[1], WORD_OR_JOINER.has)) {
      throw needsBacktracking('a condition on a group (?(a)…)');
    }
    if (/^\?(?:#|'|<[^=!])/.test(this.rest()))
      throw new ExpressionError('a condition is neither a comment nor a group with a name');
    const inner = this.group() ?? NOTHING;
    const isLook = inner.kind === 'look';
    const found: Node = isLook ? inner : { kind: 'look', isBehind: false, isNegative: false, node: inner };
    const missing: Node = {
      ...found,
      isNegative: isLook ? !inner.isNegative : true,
    };
    const outcome = this.closed(this.choice());
    const branches = outcome.kind === 'choice' ? outcome.nodes : [outcome, NOTHING];
    const [then, otherwise, ...more] = branches;
    if (then === undefined || otherwise === undefined || more.length > 0) {
      throw new ExpressionError('a condition has more than two outcomes');
    }
    const both = (...nodes: Node[]): Node => ({ kind: 'sequence', nodes });
    return { kind: 'choice', nodes: [both(found, then), both(missing, otherwise)] };
  }

  private closed(node: Node): Node {
    if (!this.take(')')) throw new ExpressionError('a ) is missing');
    return node;
  }

  private readOptions(): void {
    for (let isOn = true, next = this.peek(); next !== undefined; next = this.peek()) {
      const name = OPTION_NAMES[next.toLowerCase()];
      if (next === '-' || next === '+') isOn = next === '+';
      else if (name === undefined) return;
      else if (name !== null) this.options = { ...this.options, [name]: isOn };
      this.next();
    }
  }

  private repeated(node: Node): Node {
    this.skipBlanks();
    if (!this.isQuantifier()) return node;
    const { min, max } = this.quantifier();
    this.skipBlanks();
    this.take('?');
    this.skipBlanks();
    if (this.isQuantifier()) throw new ExpressionError(`a quantifier follows another one: ${this.peek()}`);
    return { kind: 'repeat', node, min, max };
  }

  private isQuantifier(): boolean {
    const next = this.peek();
    if (next === '*' || next === '+' || next === '?') return true;
    return next === '{' && /^\{[0-9]+(?:,[0-9]*)?\}/.test(this.rest());
  }

  private quantifier(): { min: number; max: number } {
    const next = this.next();
    if (next === '*') return { min: 0, max: Infinity };
    if (next === '+') return { min: 1, max: Infinity };
    if (next === '?') return { min: 0, max: 1 };
    const [text, low = '', comma, high] = /^([0-9]+)(,)?([0-9]*)\}/.exec(this.rest()) ?? [''];
    this.scanner.at += text.length;
    const min = Number(low);
    const max = comma === undefined ? min : high === '' || high === undefined ? Infinity : Number(high);
    if (min > MAX_COUNT || (max > MAX_COUNT && max !== Infinity)) throw new ExpressionError('a count is too high');
    if (min > max) throw new ExpressionError(`a count goes down: {${min},${max}}`);
    return { min, max: max === MAX_COUNT ? Infinity : max };
  }

  /** Skips comments, and also blanks if the options say so. */
  private skipBlanks(): void {
    for (;;) {
      const { source, at } = this.scanner;
      if (source.startsWith('(?#', at)) {
        const end = source.indexOf(')', at);
        if (end < 0) throw new ExpressionError('a comment has no end');
        this.scanner.at = end + 1;
        continue;
      }
      if (!this.options.ignoreBlanks) return;
      const next = source[at];
      if (next === '#') {
        const end = source.indexOf('\n', at);
        this.scanner.at = end < 0 ? source.length : end;
      } else if (next !== undefined && BLANKS.includes(next)) this.scanner.at += 1;
      else return;
    }
  }

  private peek(): string | undefined {
    return this.scanner.source[this.scanner.at];
  }

  private next(): string {
    const next = this.peek();
    if (next === undefined) throw new ExpressionError('it ends too early');
    this.scanner.at += 1;
    return next;
  }

  private take(expected: string): boolean {
    if (this.peek() !== expected) return false;
    this.scanner.at += 1;
    return true;
  }

  private rest(): string {
    return this.scanner.source.slice(this.scanner.at);
  }
}

function isAll(text: string, has: (unit: number) => boolean): boolean {
  return Array.from({ length: text.length }, (_, index) => text.charCodeAt(index)).every(has);
}

function needsBacktracking(what: string): ExpressionError {
  return new ExpressionError(`${what} is not supported: it can't be matched in linear time`);
}
