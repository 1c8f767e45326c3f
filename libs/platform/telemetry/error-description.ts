const MAX_CAUSES = 4;
const MAX_MESSAGE_LENGTH = 1000;
const MAX_FRAMES = 20;

export interface ErrorDescription {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** The call sites, without the message that V8 puts in front of them. */
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

/**
 * What of an error may be logged. An error can hold anything (the text that did not parse, a whole request), so nothing
 * but these fields is taken from it, and what could be part of a body is taken out of its message.
 */
export function describeError(error: unknown): ErrorDescription {
  return describe(error, MAX_CAUSES);
}

/** An expected error in one line: its message and those of its causes, without call sites. */
export function errorReason(error: unknown): string {
  const messages: string[] = [];
  for (let part: ErrorDescription | undefined = describeError(error); part !== undefined; part = part.cause) {
    messages.push(part.message);
  }
  return messages.join('; caused by: ');
}

function describe(error: unknown, causesLeft: number): ErrorDescription {
  if (!isError(error)) return { name: typeof error, message: 'Something that is not an Error was thrown' };
  const frames = error.stack?.split('\n').filter((line) => /^ {4}at /.test(line)) ?? [];
  const cause = error.cause ?? error.errors?.[0];
  return {
    name: error.name,
    message: safeMessage(error),
    ...(typeof error.code === 'string' && { code: error.code }),
    ...(frames.length > 0 && { stack: frames.slice(0, MAX_FRAMES).join('\n') }),
    ...(cause !== undefined && causesLeft > 0 && { cause: describe(cause, causesLeft - 1) }),
  };
}

/** By its shape, not `instanceof`: errors also come from other realms (vm contexts have constructors of their own). */
function isError(value: unknown): value is Error & { readonly code?: unknown; readonly errors?: readonly unknown[] } {
  if (typeof value !== 'object' || value === null) return false;
  return 'name' in value && typeof value.name === 'string' && 'message' in value && typeof value.message === 'string';
}

function safeMessage(error: Error): string {
  // `JSON.parse` and `BigInt` quote what they were given.
  if (error.name === 'SyntaxError' && /JSON|BigInt/.test(error.message)) return 'The text could not be parsed';
  return maskedDigits(error.message.slice(0, MAX_MESSAGE_LENGTH));
}

/**
 * Digits in a row as long as a card number, in any script and also in groups, become `[digits]`, whatever stands around them: a
 * line of the log loses little by it. Dots part none, so that addresses stay.
 */
export function maskedDigits(text: string): string {
  return text.replace(/\p{Nd}(?:[\s/\\|_+\p{Pd}\p{Cf}]{0,3}\p{Nd}){12,}/gu, '[digits]');
}
