import { runSuites } from '../support/suites';

runSuites('three-ds', 'three-ds-customers', 'webhooks', 'webhook-deliveries', 'webhook-delivery');
