import { ProjectionsController } from './projections.controller';

export const projectionControllers = [ProjectionsController];
