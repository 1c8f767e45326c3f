import { AssertionFailedError } from '@app/event-sourcing';

import { GatewayOutcomeUnknownError } from './port';

/**
 * The reference was used before with another kind, registration or amount: a bug of the caller, whose references must
 * never change. Nothing was done; the first transaction stands.
 */
export class GatewayReferenceReusedError extends AssertionFailedError {
  constructor(readonly reference: string) {
    super(`Gateway reference ${reference} was used before with other content`);
    this.name = 'GatewayReferenceReusedError';
  }
}

/**
 * The answer came from a sandbox, which moves no money, but a live gateway is required. The answer says nothing about
 * what the live gateway has done; only that gateway can be asked.
 */
export class SandboxRefusedError extends GatewayOutcomeUnknownError {
  constructor() {
    super('The gateway is a sandbox, which moves no money: production mode refuses its answers');
    this.name = 'SandboxRefusedError';
  }
}
