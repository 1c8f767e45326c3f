import 'reflect-metadata';

export { type Role, ROLES } from './role';
export { runRoles } from './run-roles';
