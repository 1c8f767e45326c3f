import { ROLES, runRoles } from './';

// Everything in one process, by default on the embedded stores.
runRoles(ROLES);
