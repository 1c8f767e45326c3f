import type { AccountOutcome } from '../../account-outcome';

interface Message {
  readonly title: string;
  readonly text: string;
}

/** All texts of the pages in one language. */
export interface Texts {
  /** A language tag. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly issuer: string;
  readonly sandboxNote: string;
  readonly confirm: string;
  readonly merchant: string;
  readonly order: string;
  readonly description: string;
  readonly card: string;
  readonly amount: string;
  readonly decision: string;
  readonly approve: string;
  readonly decline: string;
  readonly chooseOne: string;
  readonly outcomes: Readonly<Record<AccountOutcome, Message>>;
  /** Shown while the result is not final: the page reloads, or has stopped reloading. */
  readonly looksAgain: string;
  readonly takesLonger: string;
  readonly lookAgain: string;
  readonly backToMerchant: string;
  readonly closePage: string;
  readonly notFound: Message;
  readonly tryAgain: Message;
}
