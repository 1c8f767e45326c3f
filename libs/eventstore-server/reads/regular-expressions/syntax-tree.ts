import type { CharacterSet } from './character-set';

/** A condition between two characters. `end` also holds before a last newline, `very-end` does not. */
export type Assertion = 'start' | 'end' | 'very-end' | 'line-start' | 'line-end' | 'word-boundary' | 'no-word-boundary';

/** A regular expression without the constructs that need backtracking. */
export type Node =
  | { readonly kind: 'character'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'look'; readonly isBehind: boolean; readonly isNegative: boolean; readonly node: Node }
  | { readonly kind: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly kind: 'choice'; readonly nodes: readonly Node[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly min: number; readonly max: number };

export const NOTHING: Node = { kind: 'sequence', nodes: [] };

/** The expression is invalid, or not supported by this server. */
export class ExpressionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ExpressionError';
  }
}
