/** What a shell is told. */
export const EXIT = { failed: 1, usage: 2, unreachable: 3 } as const;

/** An expected end: its message is for whoever typed the command. */
export class CliError extends Error {
  constructor(
    message: string,
    readonly exitCode: (typeof EXIT)[keyof typeof EXIT] = EXIT.failed,
  ) {
    super(message);
    this.name = 'CliError';
  }
}
