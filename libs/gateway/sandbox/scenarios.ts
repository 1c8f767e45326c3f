import type { Registration } from '../port';
import { declined, RESPONSES } from './processor-responses';
import type { Verdict } from './processor-responses';

export type TransactionKind = 'AUTHORIZATION' | 'CAPTURE' | 'VOID' | 'REFUND';

/** How long a refund of the `refund-pending` scenario remains undecided. */
export const REFUND_PENDING_MS = 10_000;

/** The behaviour of an account at the sandbox issuer. An absent field means success. */
export interface Scenario {
  readonly risk?: Risk;
  /** The customer must authenticate before the authorization. */
  readonly challenge?: true;
  readonly authorization?: Verdict;
  readonly capture?: Verdict;
  readonly refund?: Verdict | 'pending';
  /** Captured payments are disputed; see `./disputes`. */
  readonly disputed?: true;
  /** The first call of this kind is carried out, but its answer never arrives. */
  readonly answerLostOf?: TransactionKind;
}

interface Risk {
  readonly level: Registration['riskLevel'];
  /** 0 (harmless) to 100. */
  readonly score: number;
}

export const LOW_RISK: Risk = { level: 'LOW', score: 12 };

const insufficientFunds = declined('INSUFFICIENT_FUNDS', RESPONSES.insufficientFunds);
const cardDeclined = declined('CARD_DECLINED', RESPONSES.doNotHonor);

/** The scenario is what the rules know of a card. Names are stored: never rename one or change its behaviour. */
export const SCENARIOS = {
  completes: {},
  'invalid-card-number': { authorization: declined('CARD_DECLINED', RESPONSES.invalidCardNumber) },
  'card-declined': { authorization: cardDeclined },
  'insufficient-funds': { authorization: insufficientFunds },
  'lost-card': { authorization: declined('LOST_CARD', RESPONSES.lostCard) },
  'stolen-card': { authorization: declined('STOLEN_CARD', RESPONSES.stolenCard) },
  'expired-card': { authorization: declined('EXPIRED_CARD', RESPONSES.expiredCard) },
  'incorrect-cvc': { authorization: declined('INCORRECT_CVC', RESPONSES.securityCodeMismatch) },
  'processing-error': { authorization: declined('PROCESSING_ERROR', RESPONSES.systemMalfunction) },
  'challenge-completes': { challenge: true },
  'challenge-card-declined': { challenge: true, authorization: cardDeclined },
  'challenge-insufficient-funds': { challenge: true, authorization: insufficientFunds },
  'risk-medium': { risk: { level: 'MEDIUM', score: 54 } },
  'risk-high-challenge': { risk: { level: 'HIGH', score: 83 }, challenge: true },
  'risk-blocked': {
    risk: { level: 'HIGH', score: 98 },
    authorization: declined('RISK_BLOCKED', RESPONSES.suspectedFraud),
  },
  'authorization-answer-lost': { answerLostOf: 'AUTHORIZATION' },
  'capture-refused': { capture: declined('CAPTURE_REFUSED', RESPONSES.captureNotPermitted) },
  'capture-answer-lost': { answerLostOf: 'CAPTURE' },
  'refund-answer-lost': { answerLostOf: 'REFUND' },
  'refund-declined': { refund: declined('CARD_DECLINED', RESPONSES.refundNotPermitted) },
  'refund-pending': { refund: 'pending' },
  disputed: { disputed: true },
} as const satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;

export function scenarioNamed(name: ScenarioName): Scenario {
  return SCENARIOS[name];
}
