import { ROLES, runRoles } from '@app/roles';

// Everything in one process, by default on the embedded stores.
runRoles(ROLES);
