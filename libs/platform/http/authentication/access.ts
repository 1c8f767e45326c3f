import { applyDecorators } from '@nestjs/common';
import { RouteConfig, RouteSchema } from '@nestjs/platform-fastify';
import type { CostBasis } from '../rate-limit/request-cost';
import { jsonSchemaOf } from '../validation/json-schema';

/** Who may use a route, and what a request of it has to carry. A route without one can't be registered. */
export type RouteAccess = PublicAccess | OperatorAccess | MerchantAccess;

/** Anybody. */
export interface PublicAccess {
  readonly kind: 'public';
  readonly body: 'none' | 'form';
}

/**
 * Whether a request takes an Idempotency-Key. `ignored`: it may bring one, and changes nothing that could be done twice.
 */
export type KeyUse = 'required' | 'optional' | 'ignored' | 'none';

/** The bearer of the operator's token. */
export interface OperatorAccess {
  readonly kind: 'operator';
  readonly body: 'none' | 'json';
  readonly idempotencyKey: KeyUse;
}

/** The bearer of one of a merchant's tokens. */
export interface MerchantAccess {
  readonly kind: 'merchant';
  readonly scope: string;
  readonly body: 'none' | 'json';
  /** Changes something: merchants may demand that all such requests are signed. */
  readonly writes: boolean;
  /** X-Merchant-ID, X-Timestamp and X-Signature have to be there; elsewhere they are judged only when they are. */
  readonly signed: boolean;
  readonly idempotencyKey: KeyUse;
  /** What makes a request count as more than one of the rate limit; null: nothing does. */
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
  /** The class that describes the query parameters; a route without one ignores them. */
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

/** For a route of the operator's. */
export function Operator(options: Shapes & { readonly idempotencyKey?: KeyUse } = {}): MethodDecorator {
  const { idempotencyKey = 'none', ...shapes } = options;
  return access({ kind: 'operator', body: shapes.body === undefined ? 'none' : 'json', idempotencyKey }, shapes);
}

/** For a route of merchants'. */
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

/** Every list and every batch costs by its items, without saying so itself. */
function costBasisOf({ body, query }: Shapes): CostBasis | null {
  const has = (shape: Shapes['body'], name: CostBasis) => {
    return shape !== undefined && name in Object(jsonSchemaOf(shape)['properties']);
  };
  if (has(query, 'limit')) return 'limit';
  return has(body, 'paymentIds') ? 'paymentIds' : null;
}
