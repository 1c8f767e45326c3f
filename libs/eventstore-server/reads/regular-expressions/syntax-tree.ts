import type { CharacterSet } from './character-set';

/** What must hold between two characters. `end` counts before a last newline, `very-end` doesn't. */
export type Assertion = 'start' | 'end' | 'very-end' | 'line-start' | 'line-end' | 'word-boundary' | 'no-word-boundary';

/** A regular expression without what only backtracking can match. */
export type Node =
  | { readonly kind: 'character'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'look'; readonly isBehind: boolean; readonly isNegative: boolean; readonly node: Node }
  | { readonly kind: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly kind: 'choice'; readonly nodes: readonly Node[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly min: number; readonly max: number };

export const NOTHING: Node = { kind: 'sequence', nodes: [] };

/** The expression is none, or one that this server doesn't match. */
export class ExpressionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ExpressionError';
  }
}
