import { SCOPES } from '@app/merchants/domain';
import { paymentIdOf } from '@app/payments/http/payment-of-request';
import type { HttpApplicationOptions } from '@app/platform/http/application';
import { serveOpenApi } from './reference/serve';

/** What the platform's HTTP application needs to know of this API. */
export const API: Pick<HttpApplicationOptions, 'scopes' | 'paymentIdOf' | 'addRoutes'> = {
  scopes: SCOPES,
  paymentIdOf,
  addRoutes: serveOpenApi,
};
