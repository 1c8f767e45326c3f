import { IdempotencyModule } from '@app/idempotency/idempotency.module';
import { Module } from '@nestjs/common';
import { projectionAdministrationProviders } from './administration/handlers';
import { projectionControllers } from './http/controllers';

/** The operator's actions on projections. Needs `ProjectionUnits` from a global module. */
@Module({
  imports: [IdempotencyModule],
  controllers: projectionControllers,
  providers: projectionAdministrationProviders,
})
export class ProjectionsModule {}
