// The gateway's program but for one thing: its answers say that it is live, as a processor's would. Production mode takes those.
import gateway from '../../dist/apps/gateway/serve.js';
import runtime from '../../dist/libs/platform/lifecycle/index.js';

runtime.runProgram(() => gateway.serve('live'), []);
