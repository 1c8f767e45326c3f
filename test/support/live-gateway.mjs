// The gateway's program, except that its responses say that it is live, like a processor's. Production mode accepts
// those.
import gateway from '../../dist/apps/gateway/serve.js';
import runtime from '../../dist/libs/platform/lifecycle/index.js';

runtime.runProgram(() => gateway.serve('live'), []);
