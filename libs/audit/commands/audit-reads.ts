import { auditReadDecider, type AuditRead, auditReadsStreamId } from '@app/auditors/domain';
import { Clock, CommandHandling, ContentionError, EventStoreUnavailableError, isoTime } from '@app/event-sourcing';
import { Injectable } from '@nestjs/common';

/** Records what auditors read. */
@Injectable()
export class AuditReads {
  constructor(
    private readonly handling: CommandHandling,
    private readonly clock: Clock,
  ) {}

  /**
   * Durable once it resolves: call it before the answer is given.
   *
   * @throws EventStoreUnavailableError: nothing may be given. DamagedHistoryError of the auditor's own records.
   */
  async record(read: AuditRead['data'], correlationId: string): Promise<void> {
    const { auditorId } = read;
    const streamId = auditReadsStreamId(auditorId, isoTime(this.clock.nowMs()));
    const context = { correlationId, causationId: null, actor: `auditor:${auditorId}` };
    try {
      await this.handling.handle(auditReadDecider, streamId, { type: 'RecordAuditRead', read }, context);
    } catch (error) {
      if (!(error instanceof ContentionError)) throw error;
      throw new EventStoreUnavailableError('The read could not be recorded in time', { cause: error });
    }
  }
}
