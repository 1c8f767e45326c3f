/** How many runs of a property that takes long: all of them in `npm run verify`, a tenth in `npm test`. */
export function propertyRuns(all: number): number {
  return process.env['TEST_ALL'] === 'true' ? all : Math.ceil(all / 10);
}
