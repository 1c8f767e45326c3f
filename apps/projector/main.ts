import { runRoles } from '@app/roles';

runRoles(['projector']);
