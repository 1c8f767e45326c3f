/**
 * Another process, or another store in this one, owns the log. The lock is released when that process ends, in whatever
 * way.
 */
export class EventLogInUseError extends Error {
  constructor(readonly lockFile: string) {
    super(
      `The event log is in use by another process: ${lockFile} is locked. End that process, or choose another DATA_DIR`,
    );
    this.name = 'EventLogInUseError';
  }
}

/** The file is not an event log, or was written by a newer version of the service. It was not changed. */
export class EventLogFormatError extends Error {
  constructor(
    readonly file: string,
    why: string,
  ) {
    super(`${file} can't be opened as an event log: ${why}`);
    this.name = 'EventLogFormatError';
  }
}

/** The events of one append exceed the size limit. Nothing was written. */
export class AppendTooLargeError extends Error {
  constructor(
    readonly bytes: number,
    readonly limitBytes: number,
  ) {
    super(`An append of ${bytes} bytes is over the limit of ${limitBytes} bytes`);
    this.name = 'AppendTooLargeError';
  }
}

/** A filter failed on an event; the read ends with this error. */
export class FilterError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FilterError';
  }
}
