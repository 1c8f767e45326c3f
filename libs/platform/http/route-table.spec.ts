import type { MerchantAccess } from './authentication/access';
import { RouteTable } from './route-table';

const access = (scope: string): MerchantAccess => ({
  kind: 'merchant',
  scope,
  body: 'none',
  writes: false,
  signed: false,
  idempotencyKey: 'none',
  costBasis: null,
});

describe('the scopes of routes', () => {
  it('are those that a token can have; any other stops the start', () => {
    const routes = new RouteTable();
    routes.add('/things', ['GET'], access('things:read'));
    routes.add('/health', ['GET'], { kind: 'public', body: 'none' });
    expect(() => routes.requireScopes(['things:read'])).not.toThrow();
    routes.add('/others', ['GET'], access('thing:read'));
    expect(() => routes.requireScopes(['things:read'])).toThrow('/others asks for a scope that no token can have');
  });
});
