import type { Clock } from '@app/event-sourcing';

import type { NoticeBoard } from '../notices';
import type { ChallengeState, GatewayAmount } from '../port';
import type { Books } from './books';
import { stateOfChallenge } from './entries';
import type { Challenge, RegistrationEntry } from './entries';

/** Which of the two pages a token opens: that of `redirectUrl` or that of `fallbackUrl`. */
export type ChallengePage = 'page' | 'form';

export type ChallengeDecision = 'approve' | 'decline';

/** What the customer may see of a challenge. */
export interface ChallengeView {
  readonly paymentId: string;
  readonly merchantName: string;
  readonly orderId: string;
  readonly amount: GatewayAmount;
  readonly returnUrl: string | null;
  readonly state: ChallengeViewState;
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
      const state = decision === 'approve' ? 'succeeded' : 'failed';
      this.books.answerChallenge(found.challenge, state);
      return { view: { ...before, state } satisfies ChallengeView, finished: true };
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
    return {
      paymentId: registration.paymentId,
      merchantName: challenge.merchantName,
      orderId: challenge.orderId,
      amount: registration.amount,
      returnUrl: challenge.returnUrl,
      state: this.stateOf(challenge, registration),
    };
  }

  /** A payment whose time is over is closed, too, but only then. */
  private stateOf(challenge: Challenge, registration: RegistrationEntry): ChallengeViewState {
    const state = stateOfChallenge(challenge, registration, this.clock.settledMs());
    if (state !== 'expired' || !registration.closed) return state;
    const closings = this.books.transactionsOf(registration).filter(({ kind }) => kind === 'VOID');
    return closings.some(({ recordedAtMs }) => recordedAtMs < challenge.expiresAtMs) ? 'cancelled' : state;
  }
}
