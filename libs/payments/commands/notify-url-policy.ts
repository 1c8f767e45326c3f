/** Judges, without asking anybody, whether webhooks may ever be sent to a URL. */
export abstract class NotifyUrlPolicy {
  /** Why not, in words for the merchant, or null when it may. */
  abstract refusalOf(url: string): string | null;
}
