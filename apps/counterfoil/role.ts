import type { Role } from '@app/platform/configuration';

/** Whether the process uses the payment gateway. */
export function usesGateway(roles: readonly Role[]): boolean {
  return roles.includes('api') || roles.includes('processor');
}

/** Whether the process has to know the merchants: their tokens, fees or secrets. */
export function knowsMerchants(roles: readonly Role[]): boolean {
  return roles.some((role) => role !== 'projector');
}

/** Payments are made and read without the read store, so taking the API out of service for it would do more harm. */
export function doesWithoutReadStore(roles: readonly Role[]): boolean {
  return roles.includes('api');
}
