/** The stream is not at the expected revision: another append came first. Nothing was written. */
export class WrongExpectedRevisionError extends Error {
  constructor(
    readonly streamId: string,
    readonly expected: string,
    /** The stream's last revision, or null when it has no events. */
    readonly actual: number | null,
  ) {
    super(`Stream ${streamId} was expected at ${expected} but is at ${actual ?? 'no stream'}`);
    this.name = 'WrongExpectedRevisionError';
  }
}

/** The store cannot be reached or did not answer in time. After an append the outcome is unknown. */
export class EventStoreUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EventStoreUnavailableError';
  }
}

/** The read store cannot be reached or did not answer in time. */
export class ReadStoreUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ReadStoreUnavailableError';
  }
}

/**
 * The command was not decided in time because its stream was too contended. This call wrote nothing.
 *
 * @param why it lost races, or waited too long for its turn behind a slow store.
 */
export class ContentionError extends Error {
  constructor(
    readonly streamId: string,
    why: string,
  ) {
    super(`Stream ${streamId} is too busy: ${why}`);
    this.name = 'ContentionError';
  }
}

/** A bug: something impossible has happened. Never caught, except to stop or to answer 500. */
export class AssertionFailedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AssertionFailedError';
  }
}

export function assert(condition: unknown, message: string): asserts condition {
  if (condition === false || condition === undefined || condition === null) throw new AssertionFailedError(message);
}

/** Closes a switch: the compiler proves that every case is handled; at run time it is an assertion. */
export function unreachable(value: never): never {
  throw new AssertionFailedError(`Unhandled case: ${JSON.stringify(value)}`);
}
