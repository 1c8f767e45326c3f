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

/** A command that there is not, with how its topic is used. */
export function wrongCommand(topic: string, name: string | undefined, usage: string): CliError {
  const why = name === undefined ? 'Which command?' : `There is no command '${topic} ${name}'.`;
  return new CliError(`${why}\n\n${usage}`, EXIT.usage);
}
