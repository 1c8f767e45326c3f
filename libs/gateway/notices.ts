/** An unsolicited message from the gateway. It proves nothing: the receiver asks the gateway. */
export type GatewayNotice =
  /** The customer has finished their action: query the challenge's state. */
  | { readonly type: 'challenge-finished'; readonly paymentId: string }
  /** A pending transaction, or one whose answer may have been lost, has been decided: inquire. */
  | { readonly type: 'transaction-decided'; readonly paymentId: string; readonly reference: string }
  /** A dispute of the payment was opened or decided: ask for its disputes. */
  | { readonly type: 'dispute-changed'; readonly paymentId: string };

/**
 * The gateway's notices in the process that receives them. Best effort: one may arrive twice, late or never, so they
 * only save time. Polling is what guarantees progress.
 */
export abstract class GatewayNotices {
  /** Returns a function that unsubscribes. Listeners must not throw. */
  abstract onNotice(listener: (notice: GatewayNotice) => void): () => void;
}

/** Notifies every listener, even if another one fails. */
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
        // The gateway's books already hold what is published; a failing listener must not undo it. Polling will find
        // it.
      }
    }
  }
}
