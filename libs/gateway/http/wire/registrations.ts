import { containsCardNumber } from '@app/cards';
import { isoTime } from '@app/event-sourcing';

import type { CardDetails, ChallengeState, NextAction, RegisterRequest, Registration, RiskData } from '../../port';
import { parseTime } from '../signing';
import { amountMessage, readAmount } from './amounts';
import { IDENTIFIER, type MessageReader } from './message-reader';

const NAME = { maxLength: 256 };
const DESCRIPTION = { minLength: 0, maxLength: 1_000 };
/** May contain whatever a browser reports about itself. */
const RISK_TEXT = { minLength: 0, maxLength: 1_024 };
const HOLDER_NAME = { minLength: 0, maxLength: 256 };
const URL_TEXT = { maxLength: 2_048, pattern: /^https?:\/\/[^\s]+$/ };
const TIME = { maxLength: 32 };
const RISK_LEVELS = ['LOW', 'MEDIUM', 'HIGH'] as const;

const CHALLENGE_STATES = {
  PENDING: 'pending',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  EXPIRED: 'expired',
} as const satisfies Readonly<Record<string, ChallengeState>>;

/** The only message that contains card data. */
export function registerMessage({ expiresAtMs, amount, ...request }: RegisterRequest) {
  const { paymentId, fingerprint, merchantId, merchantName, orderId, description, card, riskData, returnUrl } = request;
  return {
    paymentId,
    fingerprint,
    merchantId,
    merchantName,
    orderId,
    description,
    amount: amountMessage(amount),
    card: {
      number: card.number,
      expiryMonth: card.expiryMonth,
      expiryYear: card.expiryYear,
      cvv: card.cvv,
      holderName: card.holderName,
    },
    riskData,
    returnUrl,
    expiresAt: isoTime(expiresAtMs),
  };
}

/** @throws MalformedMessageError */
export function readRegister(message: MessageReader): RegisterRequest {
  const expiresAtMs = parseTime(message.text('expiresAt', TIME));
  if (expiresAtMs === null) throw message.wrong('expiresAt', 'must be an RFC 3339 time in UTC');
  const riskData = message.optionalObject('riskData');
  const returnUrl = message.optionalText('returnUrl', URL_TEXT);
  const description = message.optionalText('description', DESCRIPTION);
  return {
    paymentId: message.text('paymentId', IDENTIFIER),
    fingerprint: message.text('fingerprint', NAME),
    merchantId: message.text('merchantId', NAME),
    merchantName: message.text('merchantName', NAME),
    orderId: message.text('orderId', NAME),
    ...(description === undefined ? {} : { description }),
    amount: readAmount(message.object('amount')),
    card: readCard(message.object('card')),
    ...(riskData === undefined ? {} : { riskData: readRiskData(riskData) }),
    ...(returnUrl === undefined ? {} : { returnUrl }),
    expiresAtMs,
  };
}

function readCard(message: MessageReader): CardDetails {
  const holderName = message.optionalText('holderName', HOLDER_NAME);
  return {
    number: message.text('number', { maxLength: 19, pattern: /^[0-9]{12,19}$/ }),
    expiryMonth: message.text('expiryMonth', { maxLength: 2, pattern: /^(0[1-9]|1[0-2])$/ }),
    expiryYear: message.text('expiryYear', { maxLength: 4, pattern: /^[0-9]{4}$/ }),
    cvv: message.text('cvv', { maxLength: 4, pattern: /^[0-9]{3,4}$/ }),
    ...(holderName === undefined ? {} : { holderName }),
  };
}

function readRiskData(message: MessageReader): RiskData {
  const location = message.optionalObject('geoLocation');
  return defined({
    ipAddress: message.optionalText('ipAddress', RISK_TEXT),
    deviceFingerprint: message.optionalText('deviceFingerprint', RISK_TEXT),
    geoLocation:
      location &&
      defined({ country: location.optionalText('country', RISK_TEXT), city: location.optionalText('city', RISK_TEXT) }),
  });
}

export function registrationMessage({ gatewayReference, riskScore, riskLevel, nextAction }: Registration) {
  return { gatewayReference, riskScore, riskLevel, nextAction };
}

/**
 * Checked strictly, because the result is stored permanently and shown to the merchant.
 *
 * @throws MalformedMessageError
 */
export function readRegistration(message: MessageReader): Registration {
  const nextAction = message.optionalObject('nextAction');
  return {
    gatewayReference: withoutCard(message, 'gatewayReference', message.text('gatewayReference', IDENTIFIER)),
    riskScore: message.integer('riskScore', 0, 100),
    riskLevel: message.oneOf('riskLevel', RISK_LEVELS),
    nextAction: nextAction === undefined ? null : readNextAction(nextAction),
  };
}

function readNextAction(message: MessageReader): NextAction {
  const url = (name: string) => withoutCard(message, name, message.text(name, URL_TEXT));
  return {
    type: message.oneOf('type', ['3DS_AUTHENTICATION']),
    redirectUrl: url('redirectUrl'),
    fallbackUrl: url('fallbackUrl'),
  };
}

function withoutCard(message: MessageReader, name: string, text: string): string {
  if (containsCardNumber(text)) throw message.wrong(name, 'holds a card number');
  return text;
}

export function challengeMessage(state: ChallengeState) {
  return { state: state.toUpperCase() };
}

/** @throws MalformedMessageError */
export function readChallenge(message: MessageReader): ChallengeState {
  return CHALLENGE_STATES[message.oneOf('state', Object.keys(CHALLENGE_STATES) as (keyof typeof CHALLENGE_STATES)[])];
}

/** Omits undefined members. */
function defined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
