import { runProgram } from '@app/runtime';
import { serve } from './serve';

runProgram(() => serve('sandbox'), []);
