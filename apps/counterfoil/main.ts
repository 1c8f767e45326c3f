import 'reflect-metadata';
import { runProgram } from '@app/platform/lifecycle';
import { FORESEEN, run } from './run';

runProgram(run, FORESEEN);
