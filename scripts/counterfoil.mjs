#!/usr/bin/env node
// The `counterfoil` command: does the same as `npm run counterfoil --`, and passes on the caller's directory as npm
// does. An inherited INIT_CWD belongs to another command.
process.env.INIT_CWD = process.cwd();
process.argv.splice(2, 0, 'counterfoil');
await import('./run.mjs');
