import type { AccountOutcome } from '../../account-outcome';

interface Message {
  readonly title: string;
  readonly text: string;
}

/** All that the pages say in one language. */
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
  /** Below a text that isn't final: the page looks again, or has given up doing so. */
  readonly looksAgain: string;
  readonly takesLonger: string;
  readonly lookAgain: string;
  readonly backToMerchant: string;
  readonly closePage: string;
  readonly notFound: Message;
  readonly tryAgain: Message;
}
