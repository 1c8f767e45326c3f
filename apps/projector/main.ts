import { runRoles } from '../counterfoil';

runRoles(['projector']);
