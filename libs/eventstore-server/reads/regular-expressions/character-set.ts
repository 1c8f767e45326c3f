import { BLOCKS } from './blocks';
import { ExpressionError } from './syntax-tree';

/** Characters are UTF-16 code units, as in .NET: a character beyond the basic plane counts as two. */
export interface CharacterSet {
  readonly has: (unit: number) => boolean;
}

export type Range = readonly [first: number, last: number];

const CATEGORY = /^(?:C[cfnos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/;
const UNITS = 0x1_0000;
const DOTTED_CAPITAL_I = 0x130;
const NEWLINE = 0x0a;

export const WORD = ofPattern('[\\p{L}\\p{Mn}\\p{Nd}\\p{Pc}]');
export const DIGIT = ofPattern('\\p{Nd}');
export const SPACE = ofPattern('[[\\s\\x85]--[\\ufeff]]');
/** There is no word boundary beside a joiner either. */
export const WORD_OR_JOINER = union([WORD, ofRanges([[0x200c, 0x200d]])]);
export const ANY: CharacterSet = { has: () => true };
export const NOT_NEWLINE: CharacterSet = { has: (unit) => unit !== NEWLINE };

export function single(character: number): CharacterSet {
  return { has: (unit) => unit === character };
}

/** In any order; overlaps do not matter. */
export function ofRanges(ranges: readonly Range[]): CharacterSet {
  const merged: [number, number][] = [];
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else merged.push([first, last]);
  }
  return {
    has: (unit) => {
      let [low, high] = [0, merged.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((merged[middle]?.[1] ?? 0) < unit) low = middle + 1;
        else high = middle;
      }
      return (merged[low]?.[0] ?? UNITS) <= unit;
    },
  };
}

export function union(sets: Iterable<CharacterSet>): CharacterSet {
  const all = [...new Set(sets)];
  const [only] = all;
  if (only !== undefined && all.length === 1) return only;
  return { has: (unit) => all.some(({ has }) => has(unit)) };
}

export function complement({ has }: CharacterSet): CharacterSet {
  return { has: (unit) => !has(unit) };
}

export function difference({ has }: CharacterSet, without: CharacterSet): CharacterSet {
  return { has: (unit) => has(unit) && !without.has(unit) };
}

/** The set with all characters that differ from it by case only. */
export function ignoringCase({ has }: CharacterSet): CharacterSet {
  variants ??= findVariants();
  const known = variants;
  return { has: (unit) => known.get(unit)?.some(has) ?? has(unit) };
}

const named = new Map<string, CharacterSet>();
const OF_ONE_CASE = ['Ll', 'Lt', 'Lu'];

/** A general category of Unicode, or a block under .NET's name. @throws ExpressionError */
export function namedSet(name: string, ignoresCase: boolean): CharacterSet {
  if (ignoresCase && OF_ONE_CASE.includes(name)) return union(OF_ONE_CASE.map((each) => namedSet(each, false)));
  const known = named.get(name);
  if (known !== undefined) return known;
  const block = BLOCKS[name];
  const isCategory = CATEGORY.test(name);
  if (!isCategory && block === undefined) throw new ExpressionError(`there are no characters called ${name}`);
  const set = block === undefined ? ofPattern(`\\p{${name}}`) : ofRanges([block]);
  named.set(name, set);
  return set;
}

/** The characters that a JavaScript expression matches. A surrogate alone has the category Cs. */
function ofPattern(pattern: string): CharacterSet {
  const regex = new RegExp(`^${pattern}$`, 'v');
  const ascii = Array.from({ length: 128 }, (_, unit) => regex.test(String.fromCharCode(unit)));
  return { has: (unit) => ascii[unit] ?? regex.test(String.fromCharCode(unit)) };
}

/** For each character that has case variants: all with the same lower case. Built when first needed. */
let variants: ReadonlyMap<number, readonly number[]> | null = null;

function findVariants(): ReadonlyMap<number, readonly number[]> {
  const byLowerCase = new Map<number, number[]>();
  for (let unit = 0; unit < UNITS; unit += 1) {
    const lower = lowerCase(unit);
    const alike = byLowerCase.get(lower);
    if (alike === undefined) byLowerCase.set(lower, [unit]);
    else alike.push(unit);
  }
  const several = [...byLowerCase.values()].filter(({ length }) => length > 1);
  return new Map(several.flatMap((alike) => alike.map((unit) => [unit, alike] as const)));
}

function lowerCase(unit: number): number {
  if (unit === DOTTED_CAPITAL_I) return unit;
  const lower = String.fromCharCode(unit).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : unit;
}
