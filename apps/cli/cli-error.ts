/** Exit codes. `differs`: a read model is not what the log gives. `damaged`: less was shown than was asked for. */
export const EXIT = { failed: 1, usage: 2, unreachable: 3, differs: 4, damaged: 5 } as const;

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
