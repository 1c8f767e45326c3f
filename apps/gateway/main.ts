import { runProgram } from '@app/platform/lifecycle';
import { serve } from './serve';

runProgram(() => serve('sandbox'), []);
