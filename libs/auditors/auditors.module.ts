import { IdempotencyModule } from '@app/idempotency/idempotency.module';
import { Auditors } from '@app/platform/auditors';
import { Module } from '@nestjs/common';
import {
  DescribeAuditorHandler,
  ListAuditorsHandler,
  RegisterAuditorHandler,
  RevokeAuditorHandler,
} from './commands/auditors';
import { AuditorDirectory } from './commands/directory';
import { auditorControllers } from './http/auditors.controller';

/** Auditors, for authentication, and the operator's commands and queries on them. */
@Module({
  imports: [IdempotencyModule],
  controllers: auditorControllers,
  providers: [
    AuditorDirectory,
    { provide: Auditors, useExisting: AuditorDirectory },
    RegisterAuditorHandler,
    RevokeAuditorHandler,
    ListAuditorsHandler,
    DescribeAuditorHandler,
  ],
  exports: [AuditorDirectory, Auditors],
})
export class AuditorsModule {}
