/** The parts of the service's work, each of which any number of processes may do. */
export const ROLES = ['api', 'projector', 'processor', 'webhooks'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a process with these roles needs others, and stores that they share. */
export function isOneOfMany(roles: readonly Role[]): boolean {
  return ROLES.some((role) => !roles.includes(role));
}
