import { CommandHandler, type ICommandHandler, type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type AdministrationResult, ProjectionAdministration } from './administration';
import {
  CancelRebuildCommand,
  ListProjectionsQuery,
  RebuildProjectionCommand,
  RetryProjectionCommand,
  SkipProjectionEventCommand,
} from './commands';
import type { ProjectionStatus } from './status';

@QueryHandler(ListProjectionsQuery)
class ListProjectionsHandler implements IQueryHandler<ListProjectionsQuery> {
  constructor(private readonly administration: ProjectionAdministration) {}

  execute(): Promise<readonly ProjectionStatus[]> {
    return this.administration.status();
  }
}

@CommandHandler(RebuildProjectionCommand)
class RebuildProjectionHandler implements ICommandHandler<RebuildProjectionCommand> {
  constructor(private readonly administration: ProjectionAdministration) {}

  execute({ name }: RebuildProjectionCommand): Promise<AdministrationResult> {
    return this.administration.rebuild(name);
  }
}

@CommandHandler(CancelRebuildCommand)
class CancelRebuildHandler implements ICommandHandler<CancelRebuildCommand> {
  constructor(private readonly administration: ProjectionAdministration) {}

  execute({ name }: CancelRebuildCommand): Promise<AdministrationResult> {
    return this.administration.cancel(name);
  }
}

@CommandHandler(RetryProjectionCommand)
class RetryProjectionHandler implements ICommandHandler<RetryProjectionCommand> {
  constructor(private readonly administration: ProjectionAdministration) {}

  execute({ name }: RetryProjectionCommand): Promise<AdministrationResult> {
    return this.administration.retry(name);
  }
}

@CommandHandler(SkipProjectionEventCommand)
class SkipProjectionEventHandler implements ICommandHandler<SkipProjectionEventCommand> {
  constructor(private readonly administration: ProjectionAdministration) {}

  execute({ context, name, request }: SkipProjectionEventCommand): Promise<AdministrationResult> {
    return this.administration.skip(name, request, context);
  }
}

/** Need the stores, `Clock`, `CommandHandling` and `ProjectionUnits`. */
export const projectionAdministrationProviders = [
  ProjectionAdministration,
  ListProjectionsHandler,
  RebuildProjectionHandler,
  CancelRebuildHandler,
  RetryProjectionHandler,
  SkipProjectionEventHandler,
];
