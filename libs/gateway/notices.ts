/** What a gateway says unasked. It proves nothing: whoever hears it asks the gateway. */
export type GatewayNotice =
  /** The customer has finished their action: ask for the challenge's state. */
  | { readonly type: 'challenge-finished'; readonly paymentId: string }
  /** A transaction that was pending, or whose answer may have been lost, is decided: inquire. */
  | { readonly type: 'transaction-decided'; readonly paymentId: string; readonly reference: string };

/**
 * Notices of the gateway, in the process that hears them. Best effort: one may come twice, late, or never, so they only save
 * time. What can be relied on is polling.
 */
export abstract class GatewayNotices {
  /** Gives what stops the notices. A listener must not throw. */
  abstract onNotice(listener: (notice: GatewayNotice) => void): () => void;
}

/** Tells every listener, whatever becomes of the others. */
export class NoticeBoard extends GatewayNotices {
  private readonly listeners = new Set<(notice: GatewayNotice) => void>();

  override onNotice(listener: (notice: GatewayNotice) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  publish(notice: GatewayNotice): void {
    for (const listener of this.listeners) {
      try {
        listener(notice);
      } catch {
        // What is told of stands in the gateway's books: a listener's trouble must not undo it. Polling will find it.
      }
    }
  }
}
