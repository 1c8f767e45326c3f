import { runRoles } from '../counterfoil';

runRoles(['webhooks']);
