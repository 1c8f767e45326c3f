import { GatewayOutcomeUnknownError, GatewayUnavailableError } from '../port';
import { type Answer, ExchangeError } from './exchange';

/**
 * Returns the answer to a request. If a reused connection ended under it, the request is sent once more, over a `fresh`
 * one. That is safe because the gateway acts once per reference, and it saves an inquiry. The second attempt cannot
 * restore certainty: the first one may have been carried out, even if the second one fails.
 *
 * @throws GatewayUnavailableError only if no attempt can have been carried out
 * @throws GatewayOutcomeUnknownError
 */
export async function answerOf(send: (fresh: boolean) => Promise<Answer>): Promise<Answer> {
  try {
    return await send(false);
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.stage !== 'stale') throw failureOf(error);
  }
  try {
    return await send(true);
  } catch (error) {
    const failure = failureOf(error);
    if (!(failure instanceof GatewayUnavailableError)) throw failure;
    const message = 'The gateway gave no answer, and when it was asked again, it could not be reached or took nothing';
    throw new GatewayOutcomeUnknownError(message, { cause: failure });
  }
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof ExchangeError)) return error;
  return error.stage === 'not-sent'
    ? new GatewayUnavailableError('The gateway cannot be reached', { cause: error })
    : new GatewayOutcomeUnknownError('The gateway gave no answer', { cause: error });
}
