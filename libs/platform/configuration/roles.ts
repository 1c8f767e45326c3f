/** The parts of the service's work. Any number of processes may have the same role. */
export const ROLES = ['api', 'projector', 'processor', 'webhooks'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a process with these roles depends on other processes and on shared stores. */
export function isOneOfMany(roles: readonly Role[]): boolean {
  return ROLES.some((role) => !roles.includes(role));
}
