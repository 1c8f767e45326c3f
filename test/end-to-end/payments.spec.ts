import { runSuites } from '../support/suites';

runSuites('create', 'create-refused', 'idempotency', 'capture-cancel', 'refund');
