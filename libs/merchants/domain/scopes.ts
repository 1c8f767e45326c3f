/** What an access token may be used for. Part of the public contract; events use the order given here. */
export const SCOPES = ['payments:write', 'payments:read', 'refunds:write', 'webhooks:manage'] as const;

export type Scope = (typeof SCOPES)[number];
