import { runRoles } from '../counterfoil';

runRoles(['processor']);
