import { ConfigurationError, type ConfigurationProblem } from './configuration-error';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Parsed<T> = { readonly value: T } | { readonly problem: string };

export type Parser<T> = (text: string) => Parsed<T>;

/** Reads variables and collects their problems, so that one start reports every mistake. */
export class EnvironmentReader {
  readonly #problems: ConfigurationProblem[] = [];
  readonly #warnings: ConfigurationProblem[] = [];

  constructor(private readonly environment: Environment) {}

  /** The text, or undefined if the variable is absent or empty: `NAME=` in an environment file means "not set". */
  text(name: string): string | undefined {
    return this.environment[name] || undefined;
  }

  /** Whether the variable is present, even if empty. */
  has(name: string): boolean {
    return this.environment[name] !== undefined;
  }

  /** The parsed value; `fallback` if it is not set, and also if it is invalid, so that reading can continue. */
  read<T, F>(name: string, parse: Parser<T>, fallback: F): T | F {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const parsed = parse(text);
    if ('value' in parsed) return parsed.value;
    this.reject(name, parsed.problem);
    return fallback;
  }

  require(name: string, why: string): void {
    if (this.text(name) === undefined) this.reject(name, why);
  }

  reject(variable: string, problem: string): void {
    this.#problems.push({ variable, problem });
  }

  /** For values that are usable but not recommended. */
  warn(variable: string, problem: string): void {
    this.#warnings.push({ variable, problem });
  }

  get warnings(): readonly ConfigurationProblem[] {
    return Object.freeze([...this.#warnings]);
  }

  /** @throws ConfigurationError if any problem was found. */
  finish(): void {
    if (this.#problems.length > 0) throw new ConfigurationError(this.#problems);
  }
}
