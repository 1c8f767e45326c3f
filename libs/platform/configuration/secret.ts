/**
 * A value that must not be shown: printed, inspected, stringified or put into a log line it says `[secret]` and nothing
 * else. `reveal` is the only way to the value, so a search for it finds every place that uses one.
 */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}
