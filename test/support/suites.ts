/** Runs suites of test/api one after another in one file, where they share services started with the same options. */
export function runSuites(...names: readonly string[]): void {
  describe.each(names)('%s', (name) => {
    // Each declares its tests when it is loaded: inside its own describe, so that it starts after the previous one has
    // ended.
    jest.requireActual(`../api/${name}.spec`);
  });
}
