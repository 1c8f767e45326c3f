/** Runs suites of test/api one after another in one file, where they share what they start in the same way. */
export function runSuites(...names: readonly string[]): void {
  describe.each(names)('%s', (name) => {
    // Each declares its tests when it is loaded: inside its own describe, so that it begins when the one before has ended.
    jest.requireActual(`../api/${name}.spec`);
  });
}
