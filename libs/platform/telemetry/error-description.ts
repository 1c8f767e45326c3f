const MAX_CAUSES = 4;
const MAX_MESSAGE_LENGTH = 1000;
const MAX_FRAMES = 20;

export interface ErrorDescription {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** The call sites, without the message that V8 puts before them. */
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

/**
 * What may be logged of an error. An error can contain anything (the text that did not parse, a whole request), so only
 * these fields are used, and possible request data is removed from the message.
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

/** By its shape, not `instanceof`: errors may come from other realms (vm contexts have their own constructors). */
function isError(value: unknown): value is Error & { readonly code?: unknown; readonly errors?: readonly unknown[] } {
  if (typeof value !== 'object' || value === null) return false;
  return 'name' in value && typeof value.name === 'string' && 'message' in value && typeof value.message === 'string';
}

function safeMessage(error: Error): string {
  // `JSON.parse` and `BigInt` quote their input.
  if (error.name === 'SyntaxError' && /JSON|BigInt/.test(error.message)) return 'The text could not be parsed';
  return maskedDigits(error.message.slice(0, MAX_MESSAGE_LENGTH));
}

/**
 * Replaces digit sequences as long as a card number by `[digits]`, in any script and also in groups, whatever surrounds
 * them: the log loses little by it. Dots do not join groups, so that IP addresses stay readable.
 */
export function maskedDigits(text: string): string {
  return text.replace(/\p{Nd}(?:[\s/\\|_+\p{Pd}\p{Cf}]{0,3}\p{Nd}){12,}/gu, '[digits]');
}
