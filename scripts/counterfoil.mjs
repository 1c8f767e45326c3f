#!/usr/bin/env node
// `counterfoil` as a command of its own: what `npm run counterfoil --` runs, told where it was called from, as npm does.
// An inherited one is of some other command.
process.env.INIT_CWD = process.cwd();
process.argv.splice(2, 0, 'counterfoil');
await import('./run.mjs');
