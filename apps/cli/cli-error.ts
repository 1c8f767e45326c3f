/** Exit codes. */
export const EXIT = { failed: 1, usage: 2, unreachable: 3 } as const;

/** An expected failure; its message is for the user of the command line. */
export class CliError extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
  ) {
    super(message);
    this.name = 'CliError';
  }
}

/** An unknown or missing command, with the usage of its topic. */
export function wrongCommand(topic: string, name: string | undefined, usage: string): CliError {
  const why = name === undefined ? 'Which command?' : `There is no command '${topic} ${name}'.`;
  return new CliError(`${why}\n\n${usage}`, EXIT.usage);
}
