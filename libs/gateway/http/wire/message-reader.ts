/** A message does not follow the protocol. Names the field, never its value, which may be card data. */
export class MalformedMessageError extends Error {
  constructor(readonly problem: string) {
    super(problem);
    this.name = 'MalformedMessageError';
  }
}

export interface TextLimits {
  /** In characters (code points), default 1. */
  readonly minLength?: number;
  readonly maxLength: number;
  readonly pattern?: RegExp;
}

/** Identifiers at the gateway: they may appear in paths and logs. */
export const IDENTIFIER: TextLimits = { maxLength: 128, pattern: /^[A-Za-z0-9._~-]+$/ };

/**
 * Reads the fields of a JSON object. Unknown fields are ignored, so that either side can add some later.
 *
 * @throws MalformedMessageError
 */
export class MessageReader {
  private constructor(
    private readonly fields: Readonly<Record<string, unknown>>,
    private readonly path: string,
  ) {}

  static of(body: Uint8Array): MessageReader {
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    } catch {
      // The parser's own message quotes the text.
      throw new MalformedMessageError('the body is not JSON in UTF-8');
    }
    return new MessageReader(recordOf(value, 'the body'), '');
  }

  text(name: string, { minLength = 1, maxLength, pattern }: TextLimits): string {
    const value = this.fields[name];
    if (typeof value !== 'string') throw this.wrong(name, 'must be a string');
    const length = [...value].length;
    if (length < minLength || length > maxLength) {
      throw this.wrong(name, `must have ${minLength} to ${maxLength} characters`);
    }
    if (pattern?.test(value) === false) throw this.wrong(name, 'is malformed');
    return value;
  }

  optionalText(name: string, limits: TextLimits): string | undefined {
    return this.isAbsent(name) ? undefined : this.text(name, limits);
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T {
    const found = allowed.find((candidate) => candidate === this.fields[name]);
    if (found === undefined) throw this.wrong(name, `must be one of ${allowed.join(', ')}`);
    return found;
  }

  boolean(name: string): boolean {
    const value = this.fields[name];
    if (typeof value !== 'boolean') throw this.wrong(name, 'must be true or false');
    return value;
  }

  /** The objects of an array with at most `maxLength` members. */
  objects(name: string, maxLength: number): readonly MessageReader[] {
    const value: unknown = this.fields[name];
    if (!Array.isArray(value) || value.length > maxLength) {
      throw this.wrong(name, `must be an array of at most ${maxLength}`);
    }
    return value.map((member, index) => {
      const path = `${this.path}${name}[${index}]`;
      return new MessageReader(recordOf(member, path), `${path}.`);
    });
  }

  integer(name: string, min: number, max: number): number {
    const value = this.fields[name];
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      throw this.wrong(name, `must be an integer from ${min} to ${max}`);
    }
    return value;
  }

  object(name: string): MessageReader {
    const path = this.path + name;
    return new MessageReader(recordOf(this.fields[name], path), `${path}.`);
  }

  optionalObject(name: string): MessageReader | undefined {
    return this.isAbsent(name) ? undefined : this.object(name);
  }

  wrong(name: string, problem: string): MalformedMessageError {
    return new MalformedMessageError(`${this.path}${name} ${problem}`);
  }

  private isAbsent(name: string): boolean {
    return this.fields[name] === undefined || this.fields[name] === null;
  }
}

function recordOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedMessageError(`${path} must be an object`);
  }
  return value as Readonly<Record<string, unknown>>;
}
