import { assert } from '@app/event-sourcing';
import type { RouteAccess } from './authentication/access';
import type { JsonSchema } from './validation/rules';

/** One spelling of each path: no empty segment, no slash at the end but the root's, nothing percent-encoded, no absolute URL. */
const STRICT_PATH = /^(?:\/|(?:\/[A-Za-z0-9._~-]+)+)$/;

/** What a route takes, as it was registered. */
export interface RouteShape {
  readonly method: string;
  /** Such as `/api/v2/payments/:paymentId`. */
  readonly pattern: string;
  readonly access: RouteAccess;
  /** The JSON Schemas of its body and of its query parameters; null where it has none. */
  readonly body: JsonSchema | null;
  readonly query: JsonSchema | null;
}

interface Route {
  readonly segments: readonly string[];
  readonly methods: Set<string>;
}

/** Every route that was registered: who may use it, and which methods a path takes. */
export class RouteTable {
  private readonly routes = new Map<string, Route>();
  private readonly registered: RouteShape[] = [];
  private hasMerchants = false;

  add(
    pattern: string,
    methods: readonly string[],
    access: RouteAccess,
    { body = null, query = null }: { readonly body?: JsonSchema | null; readonly query?: JsonSchema | null } = {},
  ): void {
    assert(!pattern.includes('*'), `the route ${pattern} is a wildcard, which no list of paths could name`);
    if (access.kind === 'merchant') this.hasMerchants = true;
    const route = this.routes.get(pattern) ?? { segments: pattern.split('/'), methods: new Set<string>() };
    for (const method of methods) {
      route.methods.add(method);
      this.registered.push({ method, pattern, access, body, query });
    }
    this.routes.set(pattern, route);
  }

  /** In the order of their registration. */
  get shapes(): readonly RouteShape[] {
    return this.registered;
  }

  /** @throws an Error where a route asks for a scope that no token can have. */
  requireScopes(scopes: readonly string[]): void {
    for (const { pattern, access } of this.registered) {
      const isKnown = access.kind !== 'merchant' || scopes.includes(access.scope);
      assert(isKnown, `the route ${pattern} asks for a scope that no token can have`);
    }
  }

  get hasMerchantRoutes(): boolean {
    return this.hasMerchants;
  }

  /** The methods that the path takes, in alphabetical order; empty when there is no such path. */
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
   * Whether the path has a route of its own, but not for this method. The router would then take it for the value of a
   * parameter: `GET /payments/batch-query` for a payment of that name.
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

/** The path of a request target, without its query; null when it is another spelling than the one that is taken. */
export function strictPath(target: string): string | null {
  const query = target.indexOf('?');
  const path = query === -1 ? target : target.slice(0, query);
  return STRICT_PATH.test(path) ? path : null;
}
