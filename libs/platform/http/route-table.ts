import { assert } from '@app/event-sourcing';
import type { RouteAccess } from './authentication/access';
import type { JsonSchema } from './validation/rules';

/**
 * Allows one spelling per path: no empty segment, no trailing slash except the root, no percent-encoding, no absolute
 * URL.
 */
const STRICT_PATH = /^(?:\/|(?:\/[A-Za-z0-9._~-]+)+)$/;

/** A registered route with one of its methods. */
export interface RouteShape {
  readonly method: string;
  /** Such as `/api/v2/payments/:paymentId`. */
  readonly pattern: string;
  readonly access: RouteAccess;
  /** The JSON Schemas of its body and of its query parameters; null if it has none. */
  readonly body: JsonSchema | null;
  readonly query: JsonSchema | null;
}

interface Route {
  readonly segments: readonly string[];
  readonly methods: Set<string>;
}

/** All registered routes: who may use them, and which methods a path takes. */
export class RouteTable {
  private readonly routes = new Map<string, Route>();
  private readonly registered: RouteShape[] = [];

  add(
    pattern: string,
    methods: readonly string[],
    access: RouteAccess,
    { body = null, query = null }: { readonly body?: JsonSchema | null; readonly query?: JsonSchema | null } = {},
  ): void {
    assert(!pattern.includes('*'), `the route ${pattern} is a wildcard, which no list of paths could name`);
    const route = this.routes.get(pattern) ?? { segments: pattern.split('/'), methods: new Set<string>() };
    for (const method of methods) {
      route.methods.add(method);
      this.registered.push({ method, pattern, access, body, query });
    }
    this.routes.set(pattern, route);
  }

  /** In the order of registration. */
  get shapes(): readonly RouteShape[] {
    return this.registered;
  }

  /** @throws an Error if a route requires a scope that no token can have. */
  requireScopes(scopes: readonly string[]): void {
    for (const { pattern, access } of this.registered) {
      const isKnown = access.kind !== 'merchant' || scopes.includes(access.scope);
      assert(isKnown, `the route ${pattern} asks for a scope that no token can have`);
    }
  }

  get hasMerchantRoutes(): boolean {
    return this.registered.some(({ access }) => access.kind === 'merchant');
  }

  get hasAuditorRoutes(): boolean {
    return this.registered.some(({ access }) => access.kind === 'auditor');
  }

  /** The methods that the path takes, in alphabetical order; empty if the path does not exist. */
  methodsAt(path: string): readonly string[] {
    const exact = this.routes.get(path);
    if (exact !== undefined) return [...exact.methods].sort();
    const segments = path.split('/');
    const methods = new Set<string>();
    for (const route of this.routes.values()) {
      if (matches(route.segments, segments)) for (const method of route.methods) methods.add(method);
    }
    return [...methods].sort();
  }

  /**
   * Whether the path has a route of its own, but not for this method. The router would then match a parameter instead:
   * `GET /payments/batch-query` as a payment with that id.
   */
  isShadowed(path: string, method: string): boolean {
    const exact = this.routes.get(path);
    return exact !== undefined && !exact.methods.has(method);
  }
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.length !== path.length) return false;
  return pattern.every((segment, index) => segment === path[index] || (segment.startsWith(':') && path[index] !== ''));
}

/** The path of a request target, without its query; null if it is not in the accepted spelling. */
export function strictPath(target: string): string | null {
  const query = target.indexOf('?');
  const path = query === -1 ? target : target.slice(0, query);
  return STRICT_PATH.test(path) ? path : null;
}
