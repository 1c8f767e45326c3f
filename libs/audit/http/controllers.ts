import { AuditEventsController } from './audit-events.controller';
import { AuditViewsController } from './audit-views.controller';

export const auditControllers = [AuditEventsController, AuditViewsController];
