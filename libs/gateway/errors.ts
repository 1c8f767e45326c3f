import { AssertionFailedError } from '@app/kernel';

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
