import type { Clock } from '@app/event-sourcing';

import type { NoticeBoard } from '../notices';
import type { ChallengeState, GatewayAmount } from '../port';
import type { Books } from './books';
import { stateOfChallenge } from './entries';
import type { Challenge, RegistrationEntry } from './entries';
import { outcomeOf, type AccountOutcome } from './account-outcome';
import { approved } from './rules';

/** Which of the two pages a token opens: that of `redirectUrl` or that of `fallbackUrl`. */
export type ChallengePage = 'page' | 'form';

export type ChallengeDecision = 'approve' | 'decline';

/** What the customer may see of a challenge. */
export interface ChallengeView {
  readonly paymentId: string;
  readonly merchantName: string;
  readonly orderId: string;
  readonly description: string | null;
  readonly cardLastFour: string | null;
  /** What was captured, once something was. */
  readonly amount: GatewayAmount;
  readonly returnUrl: string | null;
  readonly state: ChallengeViewState;
  readonly outcome: AccountOutcome;
}

/** To the customer it matters why the time is over: `cancelled` is an `expired` challenge that the merchant has closed. */
export type ChallengeViewState = ChallengeState | 'cancelled';

/** The customer's side of the issuer: finds challenges by their token and takes the customer's answer. */
export class SandboxChallenges {
  constructor(
    private readonly books: Books,
    private readonly clock: Clock,
    private readonly notices: NoticeBoard,
  ) {}

  /** null when no challenge has this token on this page. Changes nothing. */
  find(page: ChallengePage, token: string): ChallengeView | null {
    const found = this.lookUp(page, token);
    return found === null ? null : this.view(found.challenge, found.registration);
  }

  /**
   * Takes the customer's answer and gives the challenge as it then stands: the first answer is durable and final, a later
   * one, or one after its time, changes nothing. null when no challenge has this token on this page.
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
