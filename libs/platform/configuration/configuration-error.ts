export interface ConfigurationProblem {
  /** The environment variable's name. */
  readonly variable: string;
  /**
   * What is wrong, as a predicate that follows the variable's name. Never contains the value, which may be a secret.
   */
  readonly problem: string;
}

/** The service cannot start with this configuration. Lists all problems at once. */
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
