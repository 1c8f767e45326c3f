import { runRoles } from '@app/roles';

runRoles(['api']);
