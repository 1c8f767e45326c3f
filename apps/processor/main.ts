import { runRoles } from '@app/roles';

runRoles(['processor']);
