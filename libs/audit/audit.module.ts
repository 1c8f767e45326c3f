import { AuditorsModule } from '@app/auditors/auditors.module';
import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditReads } from './commands/audit-reads';
import { ReadEventsHandler, ReadHeadHandler, ReadStreamEventsHandler } from './commands/read-events';
import { AuditReadInterceptor } from './http/audit-read.interceptor';
import { auditControllers } from './http/controllers';

/** What auditors read over HTTP. */
@Module({
  imports: [AuditorsModule],
  controllers: auditControllers,
  providers: [
    AuditReads,
    { provide: APP_INTERCEPTOR, useClass: AuditReadInterceptor },
    ReadEventsHandler,
    ReadStreamEventsHandler,
    ReadHeadHandler,
  ],
})
export class AuditModule {}
