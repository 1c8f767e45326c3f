export interface ConfigurationProblem {
  /** The environment variable's name. */
  readonly variable: string;
  /** What is wrong, as the rest of a sentence that begins with the name. Never holds the value, which may be a secret. */
  readonly problem: string;
}

/** The service can't start with this configuration. Names everything that is wrong at once. */
export class ConfigurationError extends Error {
  constructor(readonly problems: readonly ConfigurationProblem[]) {
    super(
      [
        'The configuration cannot be used:',
        ...problems.map(({ variable, problem }) => `  ${variable}: ${problem}`),
      ].join('\n'),
    );
    this.name = 'ConfigurationError';
  }
}
