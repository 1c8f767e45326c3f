import { WORD_OR_JOINER } from './character-set';
import { parse } from './parse';
import { compile, MATCHED, type Program, type Programs } from './program';
import type { Assertion } from './syntax-tree';

const NEWLINE = 0x0a;

/**
 * A regular expression of .NET that matches like .NET's, in time proportional to the lengths of text and expression:
 * all ways to match are followed simultaneously, without backtracking.
 */
export class Expression {
  private readonly programs: Programs;
  /** The cost so far: places of the text times steps of the expression. */
  cost = 0;

  /** @throws ExpressionError for an invalid expression, or one that needs backtracking. */
  constructor(source: string) {
    this.programs = compile(parse(source));
  }

  test(text: string): boolean {
    const match = new Match(text, this.programs);
    const found = match.isFound();
    this.cost += match.cost + 1;
    return found;
  }
}

/** The match of an expression against one text. */
class Match {
  /** For each look-around evaluated so far: whether it holds at each place of the text. */
  private readonly held: (Uint8Array | undefined)[] = [];
  cost = 0;

  constructor(
    private readonly text: string,
    private readonly programs: Programs,
  ) {}

  isFound(): boolean {
    const threads = new Threads(this, this.programs.main);
    const { text } = this;
    for (let place = 0; !threads.begin(place); place += 1) {
      if (place === text.length || threads.areOver) return false;
      threads.take(text.charCodeAt(place), place + 1);
    }
    return true;
  }

  holds(look: number, place: number): boolean {
    return (this.held[look] ??= this.find(look))[place] === 1;
  }

  asserts(assertion: Assertion, place: number): boolean {
    const { text } = this;
    switch (assertion) {
      case 'start':
        return place === 0;
      case 'very-end':
        return place === text.length;
      case 'end':
        return place === text.length || (place === text.length - 1 && text.charCodeAt(place) === NEWLINE);
      case 'line-start':
        return place === 0 || text.charCodeAt(place - 1) === NEWLINE;
      case 'line-end':
        return place === text.length || text.charCodeAt(place) === NEWLINE;
      case 'word-boundary':
        return this.isWord(place - 1) !== this.isWord(place);
      case 'no-word-boundary':
        return this.isWord(place - 1) === this.isWord(place);
    }
  }

  private isWord(index: number): boolean {
    return index >= 0 && index < this.text.length && WORD_OR_JOINER.has(this.text.charCodeAt(index));
  }

  /** A match may begin anywhere, so one run over the text finds all places where one ends. */
  private find(look: number): Uint8Array {
    const { text } = this;
    const held = new Uint8Array(text.length + 1);
    const found = this.programs.looks[look];
    if (found === undefined) return held;
    const threads = new Threads(this, found.program);
    const step = found.isBehind ? 1 : -1;
    const last = found.isBehind ? text.length : 0;
    for (let place = text.length - last; ; place += step) {
      if (threads.begin(place)) held[place] = 1;
      if (place === last) return held;
      threads.take(text.charCodeAt(found.isBehind ? place : place - 1), place + step);
    }
  }
}

/** The state of a program in a text: at several steps at once, each of which consumes the next character or ends. */
class Threads {
  private waiting: number[] = [];
  private upcoming: number[] = [];
  /** The place at which a step was last reached, from 1. */
  private readonly seen: Int32Array;
  private readonly isAnchored: boolean;
  hasMatched = false;

  constructor(
    private readonly match: Match,
    private readonly program: Program,
  ) {
    const first = program.steps[program.start];
    this.isAnchored = first?.kind === 'assertion' && first.assertion === 'start';
    this.seen = new Int32Array(program.steps.length).fill(-1);
  }

  /** Starts a thread at the program's start; returns whether any thread has matched here. */
  begin(place: number): boolean {
    this.follow(this.program.start, place, this.waiting);
    return this.hasMatched;
  }

  /** No other thread can begin, and none is left. */
  get areOver(): boolean {
    return this.isAnchored && this.waiting.length === 0;
  }

  take(unit: number, place: number): void {
    this.hasMatched = false;
    this.upcoming.length = 0;
    for (const at of this.waiting) {
      const step = this.program.steps[at];
      if (step?.kind === 'character' && step.set.has(unit)) this.follow(step.next, place, this.upcoming);
    }
    this.match.cost += this.waiting.length;
    [this.waiting, this.upcoming] = [this.upcoming, this.waiting];
  }

  /** Follows the steps that consume no character. */
  private follow(start: number, place: number, threads: number[]): void {
    if (this.program.steps[start]?.kind === 'character') {
      if (this.seen[start] !== place) threads.push(start);
      this.seen[start] = place;
      return;
    }
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (this.seen[at] === place) continue;
      this.seen[at] = place;
      this.match.cost += 1;
      if (at === MATCHED) {
        this.hasMatched = true;
        continue;
      }
      const step = this.program.steps[at];
      if (step === undefined) continue;
      if (step.kind === 'character') threads.push(at);
      else if (step.kind === 'split') open.push(step.other, step.next);
      else if (step.kind === 'assertion') {
        if (this.match.asserts(step.assertion, place)) open.push(step.next);
      } else if (this.match.holds(step.look, place) !== step.isNegative) open.push(step.next);
    }
  }
}
