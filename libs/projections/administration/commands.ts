import type { CommandContext } from '@app/event-sourcing';
import { Command, Query } from '@nestjs/cqrs';
import type { AdministrationResult, SkipRequest } from './administration';
import type { ProjectionStatus } from './status';

/** How all projections stand. */
export class ListProjectionsQuery extends Query<readonly ProjectionStatus[]> {}

/** Like the others, by the whole projection's name; see `ProjectionAdministration`. */
export class RebuildProjectionCommand extends Command<AdministrationResult> {
  constructor(readonly name: string) {
    super();
  }
}

export class CancelRebuildCommand extends Command<AdministrationResult> {
  constructor(readonly name: string) {
    super();
  }
}

export class RetryProjectionCommand extends Command<AdministrationResult> {
  constructor(readonly name: string) {
    super();
  }
}

export class SkipProjectionEventCommand extends Command<AdministrationResult> {
  constructor(
    readonly context: CommandContext,
    readonly name: string,
    readonly request: SkipRequest,
  ) {
    super();
  }
}
