import type { CharacterSet } from './character-set';
import { type Assertion, ExpressionError, type Node } from './syntax-tree';

/** What a thread does before it continues at `next`. */
export type Step =
  | { readonly kind: 'character'; readonly set: CharacterSet; readonly next: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'look'; readonly look: number; readonly isNegative: boolean; readonly next: number }
  | { readonly kind: 'split'; next: number; other: number };

/** The end of a path: it has matched. */
export const MATCHED = 0;

export interface Program {
  /** The first is `MATCHED`, which is no step. */
  readonly steps: readonly Step[];
  readonly start: number;
}

/** An expression's own program, and those of its look-arounds, which run separately. */
export interface Programs {
  readonly main: Program;
  readonly looks: readonly { readonly isBehind: boolean; readonly program: Program }[];
}

const MAX_STEPS = 2_000;

/** @throws ExpressionError if its repetition counts make it too large. */
export function compile(node: Node): Programs {
  const looks: { isBehind: boolean; program: Program }[] = [];
  const main = new Compiler(looks, false).compile(node);
  return { main, looks };
}

/** Built from end to start, so that each step knows its successor. */
class Compiler {
  private readonly steps: Step[] = [{ kind: 'split', next: MATCHED, other: MATCHED }];

  constructor(
    private readonly looks: { isBehind: boolean; program: Program }[],
    /** Whether the text is read from its end. */
    private readonly isBackwards: boolean,
  ) {}

  compile(node: Node): Program {
    return { start: this.before(node, MATCHED), steps: this.steps };
  }

  /** Returns the start of the node, which continues at `next`. */
  private before(node: Node, next: number): number {
    switch (node.kind) {
      case 'character':
        return this.add({ kind: 'character', set: node.set, next });
      case 'assertion':
        return this.add({ kind: 'assertion', assertion: node.assertion, next });
      case 'look':
        return this.add({ kind: 'look', look: this.look(node), isNegative: node.isNegative, next });
      case 'sequence': {
        const nodes = this.isBackwards ? node.nodes : node.nodes.toReversed();
        return nodes.reduce((after, each) => this.before(each, after), next);
      }
      case 'choice':
        return node.nodes
          .map((each) => this.before(each, next))
          .reduceRight((other, branch) => this.add({ kind: 'split', next: branch, other }));
      case 'repeat':
        return this.repeat(node, next);
    }
  }

  private repeat({ node, min, max }: Extract<Node, { kind: 'repeat' }>, next: number): number {
    let start = next;
    if (max === Infinity) {
      const loop: Step = { kind: 'split', next: MATCHED, other: next };
      start = this.add(loop);
      loop.next = this.before(node, start);
    } else {
      for (let count = min; count < max; count += 1) {
        const inner = this.before(node, start);
        // Repeating a node that consumes nothing has no effect.
        if (inner === start) break;
        start = this.add({ kind: 'split', next: inner, other: next });
      }
    }
    for (let count = 0; count < min; count += 1) {
      const inner = this.before(node, start);
      if (inner === start) break;
      start = inner;
    }
    return start;
  }

  /** A look-ahead is evaluated by reading from the text's end, so both directions read each character once. */
  private look({ node, isBehind }: Extract<Node, { kind: 'look' }>): number {
    const program = new Compiler(this.looks, !isBehind).compile(node);
    return this.looks.push({ isBehind, program }) - 1;
  }

  private add(step: Step): number {
    if (this.steps.length > MAX_STEPS)
      throw new ExpressionError(`it has more than ${MAX_STEPS} parts, counts multiplied`);
    return this.steps.push(step) - 1;
  }
}
