import type { RouteShape } from '@app/platform/http/route-table';

/** The readers of a document, which has their operations alone, so that their generated clients have no others. */
export type Audience = 'merchants' | 'operators' | 'auditors';

export const AUDIENCES: readonly Audience[] = ['merchants', 'operators', 'auditors'];

/** The paths of each audience's page and document. */
export const PLACES: Readonly<Record<Audience, { readonly page: string; readonly document: string }>> = {
  merchants: { page: '/docs', document: '/openapi.json' },
  operators: { page: '/docs/operators', document: '/openapi-operators.json' },
  auditors: { page: '/docs/auditors', document: '/openapi-auditors.json' },
};

/** Public endpoints (probes, metrics, this documentation) are documented for operators. */
export function audienceOf({ access }: Pick<RouteShape, 'access'>): Audience {
  switch (access.kind) {
    case 'merchant':
      return 'merchants';
    case 'auditor':
      return 'auditors';
    case 'operator':
    case 'public':
      return 'operators';
  }
}
