import { GatewayOutcomeUnknownError, GatewayUnavailableError } from '../port';
import { type Answer, ExchangeError } from './exchange';

/**
 * The answer to a request, which is sent again, once and over a `fresh` connection, where a kept one ended under it: the
 * gateway acts once for each reference, and this spares an inquiry. Knowledge only weakens from one attempt to the next:
 * what the first one may have done, no failure of the second one undoes.
 *
 * @throws GatewayUnavailableError only where no attempt may have been carried out
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
