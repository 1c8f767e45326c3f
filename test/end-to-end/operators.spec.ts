import { isDistributed } from '../support/stores-of';
import { runSuites } from '../support/suites';

runSuites(
  'authentication',
  'operator',
  'operator-command',
  'merchants',
  'merchant-settings',
  'every-post-takes-a-key',
  'auditors',
  'projections-admin',
  'who-came-in',
);

// What the API's process decides by itself, which is the same process wherever the rest runs.
if (!isDistributed) runSuites('every-documented-answer', 'rate-limit');
