import { Module } from '@nestjs/common';
import { HealthController } from './health.controller';
import { MetricsController } from './metrics.controller';

/** What probes and Prometheus call, in every process. Needs `HealthRegistry` and `Metrics` from a global module. */
@Module({ controllers: [HealthController, MetricsController] })
export class OperationsModule {}
