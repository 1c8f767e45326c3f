import { applyDecorators } from '@nestjs/common';
import { RouteConfig, RouteSchema } from '@nestjs/platform-fastify';
import type { CostBasis } from '../rate-limit/request-cost';
import { jsonSchemaOf } from '../validation/json-schema';

/** Who may use a route, and what its requests must carry. A route without an access cannot be registered. */
export type RouteAccess = PublicAccess | OperatorAccess | AuditorAccess | MerchantAccess;

export interface PublicAccess {
  readonly kind: 'public';
  readonly body: 'none' | 'form';
}

/**
 * Whether requests take an Idempotency-Key. `ignored`: the key is accepted but has no effect, because the operation
 * changes nothing that could happen twice.
 */
export type KeyUse = 'required' | 'optional' | 'ignored' | 'none';

/** Requires the operator token. */
export interface OperatorAccess {
  readonly kind: 'operator';
  readonly body: 'none' | 'json';
  readonly idempotencyKey: KeyUse;
}

/** Requires an auditor's token, which only ever reads. */
export interface AuditorAccess {
  readonly kind: 'auditor';
  readonly body: 'none';
  readonly idempotencyKey: 'none';
  /** What can make a request count as more than one against the rate limit; null: nothing. */
  readonly costBasis: CostBasis | null;
}

/** Requires one of a merchant's access tokens. */
export interface MerchantAccess {
  readonly kind: 'merchant';
  readonly scope: string;
  readonly body: 'none' | 'json';
  /** Whether the route changes something. Merchants can require signatures on all such requests. */
  readonly writes: boolean;
  /** Whether X-Merchant-ID, X-Timestamp and X-Signature are required. If not, they are checked only when present. */
  readonly signed: boolean;
  readonly idempotencyKey: KeyUse;
  /** What can make a request count as more than one against the rate limit; null: nothing. */
  readonly costBasis: CostBasis | null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
  }
}

export const PUBLIC_PAGE: PublicAccess = Object.freeze({ kind: 'public', body: 'form' });

interface Shapes {
  /** The class that describes the JSON body. */
  readonly body?: (new () => object) | undefined;
  /** The class that describes the query parameters. A route without one ignores them. */
  readonly query?: (new () => object) | undefined;
}

function access(access: RouteAccess, { body, query }: Shapes = {}): MethodDecorator {
  if (body === undefined && query === undefined) return RouteConfig({ access });
  const schema = {
    ...(body === undefined ? {} : { body: jsonSchemaOf(body) }),
    ...(query === undefined ? {} : { querystring: jsonSchemaOf(query) }),
  };
  return applyDecorators(RouteConfig({ access }), RouteSchema(schema));
}

/** For a route that needs no token. */
export function Public(): MethodDecorator {
  return access({ kind: 'public', body: 'none' });
}

/** For an operator route. */
export function Operator(options: Shapes & { readonly idempotencyKey?: KeyUse } = {}): MethodDecorator {
  const { idempotencyKey = 'none', ...shapes } = options;
  return access({ kind: 'operator', body: shapes.body === undefined ? 'none' : 'json', idempotencyKey }, shapes);
}

/** For an auditor's route. What it gives is recorded: see `libs/audit/http/audit-read.interceptor.ts`. */
export function ForAuditor({ query }: Pick<Shapes, 'query'> = {}): MethodDecorator {
  const costBasis = costBasisOf({ query });
  return access({ kind: 'auditor', body: 'none', idempotencyKey: 'none', costBasis }, { query });
}

/** For a merchant route. */
export function ForMerchant(
  options: Shapes & {
    readonly scope: string;
    readonly writes?: boolean;
    readonly signed?: boolean;
    readonly idempotencyKey?: KeyUse;
  },
): MethodDecorator {
  const { scope, body, query, writes = false, signed = false, idempotencyKey = 'none' } = options;
  return access(
    {
      kind: 'merchant',
      scope,
      body: body === undefined ? 'none' : 'json',
      writes,
      signed,
      idempotencyKey,
      costBasis: costBasisOf({ body, query }),
    },
    { body, query },
  );
}

/** Derived from the shapes, so that no list or batch route has to declare that it costs by its items. */
function costBasisOf({ body, query }: Shapes): CostBasis | null {
  const has = (shape: Shapes['body'], name: CostBasis) => {
    return shape !== undefined && name in Object(jsonSchemaOf(shape)['properties']);
  };
  if (has(query, 'limit')) return 'limit';
  return has(body, 'paymentIds') ? 'paymentIds' : null;
}
