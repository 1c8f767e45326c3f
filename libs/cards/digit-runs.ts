/** The unbroken runs of digits in a text, with what surrounds each. */
import { BLANK, isSeparator, INVISIBLE, LETTER, OTHER } from './digits';
import { printedIbanEnd } from './iban';
import type { WrittenForm } from './written-forms';

/** Maximum number of separators between two groups of one number: `4111 - 1111` still reads as one. */
const MAX_GAP = 3;
const APART = 0;
/** More than the longest card number; a power of two is cheapest. */
const RING = 32;
const LAST = RING - 1;

/** What a doubled digit adds to the Luhn sum. */
const DOUBLED = Uint8Array.from([0, 2, 4, 6, 8, 1, 3, 5, 7, 9]);

/** The latest digits, from one run or several. */
export class RecentDigits {
  private readonly values = new Uint8Array(RING);
  count = 0;

  push(digit: number): void {
    this.values[this.count & LAST] = digit;
    this.count += 1;
  }

  /** The digit `back` places before the last. */
  at(back: number): number {
    return this.values[(this.count - 1 - back) & LAST] ?? 0;
  }

  /** Whether the last `length` digits, at most 19, pass the Luhn check. */
  areLuhnValid(length: number): boolean {
    let sum = 0;
    for (let back = 0; back < length; back += 1) {
      const digit = this.at(back);
      sum += (back & 1) === 0 ? digit : (DOUBLED[digit] ?? 0);
    }
    return sum % 10 === 0;
  }
}

/** One run of digits, in any script; one object is reused for all runs of a text. */
export class DigitRun {
  /** Its own digits are the last `length` of these, as far as that many are kept. */
  readonly digits = new RecentDigits();
  length = 0;
  /** Its start index in the text. */
  start = 0;
  /** Part of a word: a letter is next to it. */
  isGlued = false;
  /** The kind of separator after the previous run, if it separates groups of one number; otherwise 0. */
  gap = APART;
}

/** The characters between two runs. */
class Gap {
  private size = 0;
  private sign = APART;
  private isBroken = true;

  begin(): void {
    this.size = 0;
    this.sign = APART;
    this.isBroken = false;
  }

  add(kind: number): void {
    this.size += 1;
    if (!isSeparator(kind) || this.size > MAX_GAP) this.isBroken = true;
    if (kind === BLANK) return;
    // One sign, which may be repeated, and blanks around it.
    if (this.sign !== APART && this.sign !== kind) this.isBroken = true;
    this.sign = kind;
  }

  break(): void {
    this.isBroken = true;
  }

  get kind(): number {
    if (this.isBroken) return APART;
    return this.sign === APART ? BLANK : this.sign;
  }
}

/** Whether `judge` accepts one of the text's runs of digits; printed IBANs are skipped. Linear in the text's length. */
export function someDigitRun(text: WrittenForm, judge: (run: DigitRun) => boolean): boolean {
  const run = new DigitRun();
  const gap = new Gap();
  let before = OTHER;
  const { kinds } = text;
  for (let index = 0; index < kinds.length;) {
    const kind = kinds[index] ?? OTHER;
    if (kind < INVISIBLE) {
      if (run.length === 0) {
        run.start = index;
        run.isGlued = before === LETTER;
        run.gap = gap.kind;
      }
      run.digits.push(kind);
      run.length += 1;
    } else if (kind !== INVISIBLE) {
      if (run.length > 0) {
        if (kind === LETTER) run.isGlued = true;
        if (judge(run)) return true;
        run.length = 0;
        gap.begin();
      }
      gap.add(kind);
    }
    if (kind === LETTER && before !== LETTER && before >= INVISIBLE) {
      const end = printedIbanEnd(text, index);
      if (end !== -1) {
        gap.break();
        before = LETTER;
        index = end;
        continue;
      }
    }
    if (kind !== INVISIBLE) before = kind;
    index += 1;
  }
  return run.length > 0 && judge(run);
}
