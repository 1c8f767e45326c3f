import type { Clock } from '@app/event-sourcing';
import { failureLog, type Logger } from '@app/platform/telemetry';

import { GatewayReferenceReusedError } from '../../errors';
import { GatewayOutcomeUnknownError, GatewayUnavailableError, type PaymentGateway } from '../../port';
import { type GatewayMode, MODE, REQUEST_ID, signAnswer, SIGNATURE } from '../signing';
import { disputeChangesMessage, disputesMessage } from '../wire/disputes';
import { errorMessage, PROTOCOL_ERRORS, type ProtocolErrorCode } from '../wire/errors';
import { IDENTIFIER, MalformedMessageError, MessageReader } from '../wire/message-reader';
import { challengeMessage, readRegister, registrationMessage } from '../wire/registrations';
import { outcomeMessage, readTransaction } from '../wire/transactions';
import { admittedRequestId, type Incoming } from './admission';

const MAX_REQUEST_BYTES = 64 * 1024;
/** Longer than any caller waits: a gateway that never answers must not hold requests forever. */
const ANSWER_LIMIT_MS = 30_000;
const RETRY_AFTER_SECONDS = 5;

export type TransactionAct = 'authorize' | 'capture' | 'void' | 'refund';

/** What a request asks for; `argument` is the identifier in its path. */
export type Operation =
  | { readonly name: 'register' }
  | { readonly name: 'challenge'; readonly argument: string }
  | { readonly name: 'inquire'; readonly argument: string }
  | { readonly name: 'disputesOf'; readonly argument: string }
  | { readonly name: 'disputeChanges'; readonly after: string | null }
  | { readonly name: TransactionAct };

export interface ProtocolAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface GatewayProtocolOptions {
  readonly gateway: PaymentGateway;
  /** Whether the gateway moves money; included in every answer. */
  readonly mode: GatewayMode;
  readonly secret: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Result = { readonly message: object } | { readonly error: ProtocolErrorCode; readonly problem?: string };

/** Serves any payment gateway with signed requests and signed answers. */
export class GatewayProtocol {
  constructor(private readonly options: GatewayProtocolOptions) {}

  /** @param gone aborts when nobody waits for the answer any more. */
  async answer(operation: Operation, incoming: Incoming, gone: AbortSignal): Promise<ProtocolAnswer> {
    const requestId = admittedRequestId('request', incoming, this.options);
    // Not signed: a caller must not be able to get a signed answer for a request id of its choice.
    if (requestId === null) return answerOf({ error: 'UNAUTHENTICATED' });
    const { signal, clear } = this.options.clock.deadline(ANSWER_LIMIT_MS, gone);
    try {
      return this.signed(requestId, await this.resultOf(operation, incoming.body, signal, requestId));
    } finally {
      clear();
    }
  }

  private signed(requestId: string, result: Result): ProtocolAnswer {
    const answer = answerOf(result);
    const { status, body } = answer;
    const { secret, mode } = this.options;
    const signature = signAnswer(secret, { status, mode, requestId, body: Buffer.from(body) });
    const headers = { [MODE]: mode, [REQUEST_ID]: requestId, [SIGNATURE]: signature };
    return { ...answer, headers: { ...answer.headers, ...headers } };
  }

  private async resultOf(
    operation: Operation,
    body: Uint8Array,
    signal: AbortSignal,
    requestId: string,
  ): Promise<Result> {
    if (body.length > MAX_REQUEST_BYTES) return { error: 'TOO_LARGE' };
    try {
      return await this.perform(operation, body, signal);
    } catch (error) {
      if (error instanceof MalformedMessageError) return { error: 'INVALID_REQUEST', problem: error.problem };
      if (error instanceof GatewayReferenceReusedError) return { error: 'REFERENCE_REUSED' };
      if (error instanceof GatewayUnavailableError) return { error: 'NOT_ACCEPTED' };
      if (error instanceof GatewayOutcomeUnknownError) return { error: 'OUTCOME_UNKNOWN' };
      const fields = { requestId, operation: operation.name };
      failureLog(this.options).failed({ level: 'error', message: 'a request failed', fields }, error);
      return { error: 'INTERNAL_ERROR' };
    }
  }

  private async perform(operation: Operation, body: Uint8Array, signal: AbortSignal): Promise<Result> {
    const { gateway } = this.options;
    switch (operation.name) {
      case 'register':
        return { message: registrationMessage(await gateway.register(readRegister(MessageReader.of(body)), signal)) };
      case 'challenge': {
        const state = await gateway.challengeState(identifier('gatewayReference', operation.argument), signal);
        return { message: challengeMessage(state) };
      }
      case 'inquire': {
        const reference = identifier('reference', operation.argument);
        const outcome = await gateway.inquire(reference, signal);
        if (outcome.kind === 'not-found') return { error: 'TRANSACTION_NOT_FOUND' };
        return { message: outcomeMessage(reference, outcome) };
      }
      case 'disputesOf': {
        const reference = identifier('gatewayReference', operation.argument);
        return { message: disputesMessage(await gateway.disputesOf(reference, signal)) };
      }
      case 'disputeChanges': {
        const { after } = operation;
        const changes = await gateway.disputeChanges(after === null ? null : identifier('after', after), signal);
        return { message: disputeChangesMessage(changes) };
      }
      default: {
        const request = readTransaction(MessageReader.of(body));
        return { message: outcomeMessage(request.reference, await gateway[operation.name](request, signal)) };
      }
    }
  }
}

function identifier(name: string, text: string): string {
  if (text.length <= IDENTIFIER.maxLength && IDENTIFIER.pattern?.test(text) === true) return text;
  throw new MalformedMessageError(`${name} is malformed`);
}

function answerOf(result: Result): ProtocolAnswer {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  if ('message' in result) return { status: 200, headers, body: JSON.stringify(result.message) };
  const { error, problem } = result;
  const { status, message } = PROTOCOL_ERRORS[error];
  return {
    status,
    headers: status === 503 ? { ...headers, 'Retry-After': String(RETRY_AFTER_SECONDS) } : headers,
    body: JSON.stringify(errorMessage(error, problem === undefined ? message : `${message} (${problem})`)),
  };
}
