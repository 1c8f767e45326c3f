import type { Scope } from '@app/domain/merchant';
import { applyDecorators } from '@nestjs/common';
import { RouteConfig, RouteSchema } from '@nestjs/platform-fastify';
import { jsonSchemaOf } from '../validation/json-schema';

/** Who may use a route, and what a request of it has to carry. A route without one can't be registered. */
export type RouteAccess = PublicAccess | OperatorAccess | MerchantAccess;

/** Anybody. */
export interface PublicAccess {
  readonly kind: 'public';
  readonly body: 'none' | 'form';
}

/** The bearer of the operator's token. */
export interface OperatorAccess {
  readonly kind: 'operator';
  readonly body: 'none' | 'json';
}

/** The bearer of one of a merchant's tokens. */
export interface MerchantAccess {
  readonly kind: 'merchant';
  readonly scope: Scope;
  readonly body: 'none' | 'json';
  /** Changes something: merchants may demand that all such requests are signed. */
  readonly writes: boolean;
  /** X-Merchant-ID, X-Timestamp and X-Signature have to be there; elsewhere they are judged only when they are. */
  readonly signed: boolean;
  readonly idempotent: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
  }
}

export const PUBLIC_PAGE: PublicAccess = Object.freeze({ kind: 'public', body: 'form' });

function access(access: RouteAccess, body?: new () => object): MethodDecorator {
  return body === undefined
    ? RouteConfig({ access })
    : applyDecorators(RouteConfig({ access }), RouteSchema({ body: jsonSchemaOf(body) }));
}

/** For a route that needs no token. */
export function Public(): MethodDecorator {
  return access({ kind: 'public', body: 'none' });
}

/** For a route of the operator's. `body` is the class that describes its JSON body. */
export function Operator(options: { readonly body?: new () => object } = {}): MethodDecorator {
  return access({ kind: 'operator', body: options.body === undefined ? 'none' : 'json' }, options.body);
}

/** For a route of merchants'. `body` is the class that describes its JSON body. */
export function ForMerchant(options: {
  readonly scope: Scope;
  readonly body?: new () => object;
  readonly writes?: boolean;
  readonly signed?: boolean;
  readonly idempotent?: boolean;
}): MethodDecorator {
  const { scope, body, writes = false, signed = false, idempotent = false } = options;
  return access(
    { kind: 'merchant', scope, body: body === undefined ? 'none' : 'json', writes, signed, idempotent },
    body,
  );
}
