/** Another process (or another store in this one) owns the log. It is let go when that process ends, however it ends. */
export class EventLogInUseError extends Error {
  constructor(readonly lockFile: string) {
    super(
      `The event log is in use by another process: ${lockFile} is locked. End that one, or choose another DATA_DIR`,
    );
    this.name = 'EventLogInUseError';
  }
}

/** The file is no event log, or one written by a newer version of the service. It was not touched. */
export class EventLogFormatError extends Error {
  constructor(
    readonly file: string,
    why: string,
  ) {
    super(`${file} can't be opened as an event log: ${why}`);
    this.name = 'EventLogFormatError';
  }
}

/** The events of one append hold more bytes than the log takes. Nothing was written. */
export class AppendTooLargeError extends Error {
  constructor(
    readonly bytes: number,
    readonly limitBytes: number,
  ) {
    super(`An append of ${bytes} bytes is over the limit of ${limitBytes} bytes`);
    this.name = 'AppendTooLargeError';
  }
}

/** A filter can't judge an event; the reading that it was given to ends with this. */
export class FilterError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FilterError';
  }
}
