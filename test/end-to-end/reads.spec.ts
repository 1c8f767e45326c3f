import { isDistributed } from '../support/stores-of';
import { runSuites } from '../support/suites';

runSuites('metrics', 'read-batch', 'lists', 'payment-history', 'errors');

// Notices of the sandbox reach no other process, and a poll would take a minute.
if (!isDistributed) runSuites('disputes');

// What the API's process gives by itself, which is the same process wherever the rest runs.
if (!isDistributed) runSuites('openapi', 'signing-guide', 'webhook-guide', 'docs');
