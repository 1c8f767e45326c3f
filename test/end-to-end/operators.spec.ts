import { runSuites } from '../support/suites';

runSuites(
  'authentication',
  'operator',
  'every-post-takes-a-key',
  'every-documented-answer',
  'projections-admin',
  'rate-limit',
  'who-came-in',
);
