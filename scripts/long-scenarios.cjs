'use strict';

/** Minutes of processes being killed and frozen, of clocks being set, and of disks that fill up, over and over: `npm run verify:long` runs these, not `npm test`. */
module.exports = ['full-disk', 'rebuild-killed', 'roles-killed', 'rolling-release', 'roles-redis', 'roles-clocks'].map(
  (name) => `test/scenarios/${name}.spec.ts`,
);
