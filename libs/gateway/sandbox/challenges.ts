import type { Clock } from '@app/event-sourcing';

import type { NoticeBoard } from '../notices';
import type { ChallengeState, GatewayAmount } from '../port';
import type { Books } from './books';
import { stateOfChallenge } from './entries';
import type { Challenge, RegistrationEntry } from './entries';
import { outcomeOf, type AccountOutcome } from './account-outcome';
import { approved } from './rules';

/** Which page a token opens: `redirectUrl` or `fallbackUrl`. */
export type ChallengePage = 'page' | 'form';

export type ChallengeDecision = 'approve' | 'decline';

/** What the customer may see of a challenge. */
export interface ChallengeView {
  readonly paymentId: string;
  readonly merchantName: string;
  readonly orderId: string;
  readonly description: string | null;
  readonly cardLastFour: string | null;
  /** The captured amount, once there is one; before, the registered amount. */
  readonly amount: GatewayAmount;
  readonly returnUrl: string | null;
  readonly state: ChallengeViewState;
  readonly outcome: AccountOutcome;
}

/** Tells the customer why the time is over: `cancelled` is an `expired` challenge that the merchant has closed. */
export type ChallengeViewState = ChallengeState | 'cancelled';

/** The customer's side of the issuer: finds challenges by token and accepts answers. */
export class SandboxChallenges {
  constructor(
    private readonly books: Books,
    private readonly clock: Clock,
    private readonly notices: NoticeBoard,
  ) {}

  /** Null if no challenge has this token on this page. Changes nothing. */
  find(page: ChallengePage, token: string): ChallengeView | null {
    const found = this.lookUp(page, token);
    return found === null ? null : this.view(found.challenge, found.registration);
  }

  /**
   * Accepts the customer's answer and returns the challenge afterwards. The first answer is durable and final; a later
   * one, or one after the deadline, changes nothing. Null if no challenge has this token on this page.
   */
  async answer(page: ChallengePage, token: string, decision: ChallengeDecision): Promise<ChallengeView | null> {
    const answered = await this.books.writes.run(() => {
      const found = this.lookUp(page, token);
      if (found === null) return null;
      const before = this.view(found.challenge, found.registration);
      if (before.state !== 'pending') return { view: before, finished: false };
      const answer = decision === 'approve' ? 'succeeded' : 'failed';
      this.books.answerChallenge(found.challenge, answer);
      return { view: this.view({ ...found.challenge, answer }, found.registration), finished: true };
    });
    if (answered?.finished === true) {
      this.notices.publish({ type: 'challenge-finished', paymentId: answered.view.paymentId });
    }
    return answered?.view ?? null;
  }

  private lookUp(page: ChallengePage, token: string) {
    return this.books.challengeByToken(page === 'page' ? 'pageSecret' : 'formSecret', token);
  }

  private view(challenge: Challenge, registration: RegistrationEntry): ChallengeView {
    const nowMs = this.clock.settledMs();
    const transactions = this.books.transactionsOf(registration);
    const state = stateOfChallenge(challenge, registration, nowMs);
    const outcome = outcomeOf({ registration, challenge, transactions }, nowMs);
    const { merchantName, orderId, description, cardLastFour, returnUrl } = challenge;
    return {
      paymentId: registration.paymentId,
      merchantName,
      orderId,
      description,
      cardLastFour,
      amount: approved('CAPTURE', transactions)?.amount ?? registration.amount,
      returnUrl,
      state: state === 'expired' && outcome === 'cancelled' ? 'cancelled' : state,
      outcome,
    };
  }
}
