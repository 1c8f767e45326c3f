import { NotifyUrlPolicy } from '@app/payments/commands/notify-url-policy';
import type { WebhookUrlPolicy } from './url-policy';
import { checkWebhookUrl } from './url-policy';

/** What the HTTP client will never send to is refused already where a merchant names it. */
export class WebhookNotifyUrlPolicy extends NotifyUrlPolicy {
  constructor(private readonly policy: WebhookUrlPolicy) {
    super();
  }

  refusalOf(url: string): string | null {
    return checkWebhookUrl(url, this.policy)?.message ?? null;
  }
}
