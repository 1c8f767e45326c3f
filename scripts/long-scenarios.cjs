'use strict';

/** Minutes of processes being killed and frozen, and of disks that fill up, over and over: `npm run verify:long` runs these, not `npm test`. */
module.exports = ['full-disk', 'rebuild-killed', 'roles-killed', 'rolling-release', 'roles-redis', 'lost-parts'].map(
  (name) => `test/scenarios/${name}.spec.ts`,
);
