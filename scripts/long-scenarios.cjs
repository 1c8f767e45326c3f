'use strict';

/**
 * Minutes of processes being killed and frozen, of clocks being set, of read models losing parts and of disks that fill up:
 * `npm run verify:long` runs these, not `npm test`.
 */
module.exports = [
  'full-disk',
  'lost-parts',
  'rebuild-killed',
  'roles-killed',
  'rolling-release',
  'roles-redis',
  'roles-clocks',
].map((name) => `test/scenarios/${name}.spec.ts`);
