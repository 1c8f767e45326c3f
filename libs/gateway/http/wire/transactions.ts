import { containsCardNumber } from '@app/cards';

import type { DeclineCode, ProcessorResponse, TransactionOutcome, TransactionRequest } from '../../port';
import { amountMessage, readAmount } from './amounts';
import { IDENTIFIER, type MessageReader } from './message-reader';

const DECLINE_CODES: readonly DeclineCode[] = [
  'CARD_DECLINED',
  'INSUFFICIENT_FUNDS',
  'LOST_CARD',
  'STOLEN_CARD',
  'EXPIRED_CARD',
  'INCORRECT_CVC',
  'PROCESSING_ERROR',
  'RISK_BLOCKED',
  'CAPTURE_REFUSED',
];
const MAX_RESPONSE_CODE_LENGTH = 16;
const MAX_RESPONSE_MESSAGE_LENGTH = 200;
/** Characters that move a terminal's cursor or change the writing direction on a page. */
const UNSEEN = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;
const WORDS = { maxLength: 4_096 };

export function transactionMessage({ reference, gatewayReference, amount }: TransactionRequest) {
  return { reference, gatewayReference, amount: amountMessage(amount) };
}

/** @throws MalformedMessageError */
export function readTransaction(message: MessageReader): TransactionRequest {
  return {
    reference: message.text('reference', IDENTIFIER),
    gatewayReference: message.text('gatewayReference', IDENTIFIER),
    amount: readAmount(message.object('amount')),
  };
}

export function outcomeMessage(reference: string, outcome: TransactionOutcome) {
  switch (outcome.kind) {
    case 'approved':
      return { reference, status: 'APPROVED', processorResponse: outcome.processorResponse };
    case 'declined':
      return {
        reference,
        status: 'DECLINED',
        declineCode: outcome.code,
        processorResponse: outcome.processorResponse,
      };
    case 'pending':
      return { reference, status: 'PENDING' };
  }
}

/**
 * The outcome of the transaction with this reference; the outcome of another one counts as malformed.
 *
 * @throws MalformedMessageError
 */
export function readOutcome(message: MessageReader, reference: string): TransactionOutcome {
  if (message.text('reference', IDENTIFIER) !== reference)
    throw message.wrong('reference', 'is of another transaction');
  switch (message.oneOf('status', ['APPROVED', 'DECLINED', 'PENDING'])) {
    case 'APPROVED':
      return { kind: 'approved', processorResponse: readResponse(message.object('processorResponse')) };
    case 'DECLINED': {
      const processorResponse = readResponse(message.object('processorResponse'));
      return { kind: 'declined', code: declineCodeOf(message.text('declineCode', WORDS)), processorResponse };
    }
    case 'PENDING':
      return { kind: 'pending' };
  }
}

/** An unknown code of a newer gateway is still a decline. */
function declineCodeOf(text: string): DeclineCode {
  return DECLINE_CODES.find((code) => code === text) ?? 'PROCESSING_ERROR';
}

/**
 * Stored permanently and shown to the merchant: long texts are cut, and any that may contain a card number are
 * withheld.
 */
function readResponse(message: MessageReader): ProcessorResponse {
  return {
    code: harmless(message.text('code', WORDS), MAX_RESPONSE_CODE_LENGTH),
    message: harmless(message.text('message', WORDS), MAX_RESPONSE_MESSAGE_LENGTH),
  };
}

function harmless(text: string, maxLength: number): string {
  const kept = text.toWellFormed().slice(0, maxLength).toWellFormed().replaceAll(UNSEEN, ' ');
  // Checked before and after the cut: digits next to a card number hide it until they are cut off.
  return [text, kept].some((form) => containsCardNumber(form)) ? 'withheld' : kept;
}
