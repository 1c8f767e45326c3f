import type { RouteShape } from '@app/platform/http/route-table';

/**
 * The readers of a document. Merchants' documents contain no operator operations, so their generated clients don't
 * either.
 */
export type Audience = 'merchants' | 'operators';

export const AUDIENCES: readonly Audience[] = ['merchants', 'operators'];

/** The paths of each audience's page and document. */
export const PLACES: Readonly<Record<Audience, { readonly page: string; readonly document: string }>> = {
  merchants: { page: '/docs', document: '/openapi.json' },
  operators: { page: '/docs/operators', document: '/openapi-operators.json' },
};

/** Public endpoints (probes, metrics, this documentation) are documented for operators. */
export function audienceOf({ access }: Pick<RouteShape, 'access'>): Audience {
  return access.kind === 'merchant' ? 'merchants' : 'operators';
}
