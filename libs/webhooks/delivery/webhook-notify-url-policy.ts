import { NotifyUrlPolicy } from '@app/payments/commands/notify-url-policy';
import type { WebhookUrlPolicy } from './url-policy';
import { checkWebhookUrl } from './url-policy';

/** Refuses a URL when a merchant provides it, if the HTTP client would never send to it. */
export class WebhookNotifyUrlPolicy extends NotifyUrlPolicy {
  constructor(private readonly policy: WebhookUrlPolicy) {
    super();
  }

  refusalOf(url: string): string | null {
    return checkWebhookUrl(url, this.policy)?.message ?? null;
  }
}
