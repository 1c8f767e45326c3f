/** The number of runs for a slow property: all of them in `npm run verify`, a tenth in `npm test`. */
export function propertyRuns(all: number): number {
  return process.env['TEST_ALL'] === 'true' ? all : Math.ceil(all / 10);
}
