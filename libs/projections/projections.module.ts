import { Module } from '@nestjs/common';
import { projectionAdministrationProviders } from './administration/handlers';
import { ProjectionsController } from './http/projections.controller';

/** What the operator does with projections. Needs `ProjectionUnits` from a global module. */
@Module({ controllers: [ProjectionsController], providers: projectionAdministrationProviders })
export class ProjectionsModule {}
