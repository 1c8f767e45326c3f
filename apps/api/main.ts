import { runRoles } from '../counterfoil';

runRoles(['api']);
