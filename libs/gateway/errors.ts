import { AssertionFailedError } from '@app/event-sourcing';

import { GatewayOutcomeUnknownError } from './port';

/**
 * The reference was used before with another kind, registration or amount: a bug of the caller, whose references have to
 * stay the same for ever. Nothing was done; the first transaction stands.
 */
export class GatewayReferenceReusedError extends AssertionFailedError {
  constructor(readonly reference: string) {
    super(`Gateway reference ${reference} was used before with other content`);
    this.name = 'GatewayReferenceReusedError';
  }
}

/**
 * The answer is that of a sandbox, which moves no money, where only a live gateway will do. It tells nothing: what a gateway
 * that is put in the sandbox's place has done, that one has to be asked.
 */
export class SandboxRefusedError extends GatewayOutcomeUnknownError {
  constructor() {
    super('The gateway is a sandbox, which moves no money: production mode refuses its answers');
    this.name = 'SandboxRefusedError';
  }
}
