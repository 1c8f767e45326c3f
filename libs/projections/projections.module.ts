import { Module } from '@nestjs/common';
import { projectionAdministrationProviders } from './administration/handlers';
import { projectionControllers } from './http/controllers';

/** What the operator does with projections. Needs `ProjectionUnits` from a global module. */
@Module({ controllers: projectionControllers, providers: projectionAdministrationProviders })
export class ProjectionsModule {}
