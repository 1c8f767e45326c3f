import type { EventStoreDBClient } from '@eventstore/db-client';

type Subscription = ReturnType<EventStoreDBClient['subscribeToPersistentSubscriptionToStream']>;
export type Delivered = Parameters<Subscription['ack']>[0] & { readonly retryCount: number };

/** What a consumer receives, in order, and how its call ended; each spec decides how it answers. */
export class Followed {
  readonly told: string[] = [];
  readonly delivered: Delivered[] = [];
  readonly errors: Error[] = [];
  hasEnded = false;

  constructor(
    readonly subscription: Subscription,
    /** `null` answers no messages. */
    answer: ((each: Delivered) => unknown) | null = (each) => subscription.ack(each),
  ) {
    subscription.on('data', (each) => {
      const delivery = each as Delivered;
      const { event, link, retryCount } = delivery;
      this.delivered.push(delivery);
      const shown = event ?? link;
      this.told.push(`${shown?.revision}@${shown?.streamId}${retryCount === 0 ? '' : `#${retryCount}`}`);
      void answer?.(delivery);
    });
    subscription.on('error', (error) => this.errors.push(error));
    subscription.on('end', () => (this.hasEnded = true));
  }

  async has(count: number): Promise<readonly string[]> {
    await until(() => this.told.length >= count);
    return this.told;
  }
}

/** Waits until a condition holds; the test's own time-out is the limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
