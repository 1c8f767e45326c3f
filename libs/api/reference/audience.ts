import type { RouteShape } from '@app/platform/http/route-table';

/** Who reads a document: merchants hold no operation of the operator's, in their clients as little as before their eyes. */
export type Audience = 'merchants' | 'operators';

export const AUDIENCES: readonly Audience[] = ['merchants', 'operators'];

/** Where each audience's page and document are. */
export const PLACES: Readonly<Record<Audience, { readonly page: string; readonly document: string }>> = {
  merchants: { page: '/docs', document: '/openapi.json' },
  operators: { page: '/docs/operators', document: '/openapi-operators.json' },
};

/** What is open to anybody (probes, metrics, this documentation) is for those who run the service. */
export function audienceOf({ access }: Pick<RouteShape, 'access'>): Audience {
  return access.kind === 'merchant' ? 'merchants' : 'operators';
}
