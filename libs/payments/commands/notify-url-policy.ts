/** Checks, without any lookup, whether a URL can ever receive webhooks. */
export abstract class NotifyUrlPolicy {
  /** The reason for a refusal, worded for the merchant; null if the URL is allowed. */
  abstract refusalOf(url: string): string | null;
}
