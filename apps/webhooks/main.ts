import { runRoles } from '@app/roles';

runRoles(['webhooks']);
