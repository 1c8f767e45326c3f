import type { CommandContext } from '@app/event-sourcing';
import { Command, Query } from '@nestjs/cqrs';
import type { AdministrationResult, SkipRequest } from './administration';
import type { ProjectionStatus } from './status';

/** The status of all projections. */
export class ListProjectionsQuery extends Query<readonly ProjectionStatus[]> {}

/** `name` is the whole projection's name, as in the other commands; see `ProjectionAdministration`. */
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
