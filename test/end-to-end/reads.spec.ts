import { runSuites } from '../support/suites';

runSuites('metrics', 'read-batch', 'lists', 'payment-history', 'openapi', 'errors', 'signing-guide');
