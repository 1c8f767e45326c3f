import { Module } from '@nestjs/common';
import { HealthController } from './health.controller';
import { MetricsController } from './metrics.controller';

/** Routes for probes and Prometheus, in every process. Needs `HealthRegistry` and `Metrics` from a global module. */
@Module({ controllers: [HealthController, MetricsController] })
export class OperationsModule {}
