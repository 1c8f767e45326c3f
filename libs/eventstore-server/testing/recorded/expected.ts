import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DIFFERENCES } from './differences';
import { isAlike, type Outcome } from './outcome';

/** Steps of a case by their names. */
export type Steps = Readonly<Record<string, Outcome>>;

export type Case = readonly [name: string, steps: Steps];

const ANSWERS = join(__dirname, 'answers');

export function answerFiles(): readonly string[] {
  return readdirSync(ANSWERS);
}

/** EventStoreDB's recorded answers, a case per line. */
export function recordedCases(file: string): readonly Case[] {
  const lines = readFileSync(join(ANSWERS, file), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Case);
}

/** The expected answers: the recorded ones, except for the listed differences, each of which is reported when used. */
export function expectedHere(name: string, recorded: Steps, onUse: (what: string) => void = () => undefined): Steps {
  const expected = Object.entries(recorded).map(([step, outcome]): [string, Outcome] => [
    step,
    DIFFERENCES.reduce((sofar, { what, instead }) => {
      const changed = instead(sofar, { name, step });
      if (changed === null || changed.join('\n') === sofar.join('\n')) return sofar;
      onUse(what);
      return changed;
    }, outcome),
  ]);
  return Object.fromEntries(expected);
}

/** Each step with another answer. */
export function compared(name: string, expected: Steps, found: Steps): object[] {
  const steps = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...steps]
    .filter((step) => !isAlike(expected[step] ?? [], found[step] ?? []))
    .map((step) => ({ name, step, expected: expected[step], found: found[step] }));
}
