import type { OperationDoc, ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import {
  INTEGER,
  type JsonObject,
  listOf,
  object,
  oneOf,
  orNull,
  pageOf,
  ref,
  TEXT,
  TIME,
} from '@app/platform/http/openapi/schema';

const TAG = 'Projections';
const POSITION: JsonObject = { type: 'string', pattern: '^(0|[1-9][0-9]{0,19})$' };
const PERCENT: JsonObject = { type: 'number', minimum: 0, maximum: 100 };

const VERSION = {
  version: INTEGER,
  startedAt: TIME,
  position: orNull(POSITION),
  events: INTEGER,
  percent: orNull(PERCENT),
  secondsLeft: orNull(INTEGER),
  stopped: orNull(ref('ProjectionStop')),
};

const ACTIVE_EXAMPLE = {
  version: 3,
  startedAt: '2030-01-01T00:00:00.000Z',
  position: '120400',
  events: 118_200,
  percent: 100,
  secondsLeft: null,
  stopped: null,
  lagEvents: 0,
  lagSeconds: 0,
};
const BUILD_EXAMPLE = {
  version: 4,
  startedAt: '2030-01-02T00:00:00.000Z',
  position: '50200',
  events: 49_100,
  percent: 41.6,
  secondsLeft: 2,
  stopped: null,
  cause: 'REQUESTED',
};
const STOP_EXAMPLE = {
  position: '120401',
  eventId: '3f1c2a34-9d7e-4b1a-8c55-0d6a4f1e2b90',
  eventType: 'PaymentAuthorized',
  streamId: 'payment-01JGFJJZ00Q8V5T3N7R2M4K6H9',
  revision: 1,
  reason: 'schema version 2 is newer than 1',
  since: '2030-01-02T00:00:00.000Z',
};

function exampleOf(active: JsonObject, building: JsonObject | null = null, status = 'LIVE'): JsonObject {
  return { name: 'payments', partitions: [{ name: 'payments', status, active, building }] };
}

function operation(
  status: number,
  answer: string,
  example: JsonObject,
  doc: Omit<OperationDoc, 'tag' | 'answers'>,
): OperationDoc {
  const headers = ['Cache-Control'] as const;
  return {
    ...doc,
    tag: TAG,
    answers: { [status]: { description: answer, schema: ref('Projection'), example, headers } },
    errors: ['PROJECTION_NOT_FOUND', 'ROUTE_NOT_FOUND', ...(doc.errors ?? [])],
  };
}

export const projectionDocs: ResourceDocs = {
  tag: { name: TAG, description: 'Operator: read models, which are projections of the log.' },
  schemas: {
    Projection: object({ name: TEXT, partitions: listOf(ref('ProjectionPartition')) }),
    ProjectionPartition: object({
      name: TEXT,
      status: oneOf('NEW', 'BUILDING', 'LIVE', 'STOPPED'),
      active: orNull(ref('ActiveVersion')),
      building: orNull(ref('BuildingVersion')),
    }),
    ActiveVersion: object({ ...VERSION, lagEvents: INTEGER, lagSeconds: INTEGER }),
    BuildingVersion: object({ ...VERSION, cause: oneOf('VERSION_CHANGED', 'REQUESTED') }),
    ProjectionStop: object({
      position: POSITION,
      eventId: { type: 'string', format: 'uuid' },
      eventType: TEXT,
      streamId: TEXT,
      revision: INTEGER,
      reason: TEXT,
      since: TIME,
    }),
  },
  operations: {
    'GET /admin/v1/projections': {
      operationId: 'listProjections',
      tag: TAG,
      summary: 'List projections',
      description:
        'Returns the status of all projections and their partitions. `active` is the live version. `building` is a version that is built beside it and ' +
        'replaces it once it has caught up. Percentages and times are estimates, based on positions in the log.',
      answers: {
        200: {
          description: 'A page of projections.',
          schema: pageOf(ref('Projection')),
          example: { items: [exampleOf(ACTIVE_EXAMPLE, BUILD_EXAMPLE)], nextCursor: null },
          headers: ['Cache-Control'],
        },
      },
      errors: ['BUSY', 'EVENT_STORE_UNAVAILABLE'],
    },
    'POST /admin/v1/projections/:projection/rebuild': operation(
      202,
      'The rebuild has started.',
      exampleOf(ACTIVE_EXAMPLE, { ...BUILD_EXAMPLE, position: null, events: 0, percent: 0, secondsLeft: null }),
      {
        operationId: 'rebuildProjection',
        summary: 'Rebuild a projection',
        description:
          'Rebuilds all partitions from the start of the log, beside the live version, which stays available. While a partition is being built, ' +
          'no partition can be started again.',
        errors: ['REBUILD_IN_PROGRESS'],
      },
    ),
    'POST /admin/v1/projections/:projection/cancel': operation(
      200,
      'The rebuild is cancelled.',
      exampleOf(ACTIVE_EXAMPLE),
      {
        operationId: 'cancelRebuild',
        summary: 'Cancel a rebuild',
        description:
          'The live version stays. If the rebuild was started because the code has changed, it starts again when a projector starts, ' +
          'or when a rebuild is requested; until then the projection is not updated.',
        errors: ['NO_REBUILD_IN_PROGRESS'],
      },
    ),
    'POST /admin/v1/projections/:projection/retry': operation(
      202,
      'The projection tries the event again.',
      exampleOf(ACTIVE_EXAMPLE),
      {
        operationId: 'retryProjection',
        summary: 'Retry a failed event',
        description:
          'The projection tries the event at which it has stopped once more. If nothing has changed, it stops there again, within about a second.',
        errors: ['PROJECTION_NOT_STOPPED'],
      },
    ),
    'POST /admin/v1/projections/:projection/skip': operation(
      202,
      'The projection continues after the event.',
      exampleOf(ACTIVE_EXAMPLE),
      {
        operationId: 'skipProjectionEvent',
        summary: 'Skip a failed event',
        description:
          'The projection ignores the event, now and in every rebuild; other projections do not. The read model then lacks ' +
          'what the event says. The skip and its reason are recorded in the log and cannot be undone. ' +
          '`position` must be the one at which the projection has stopped, so that only the event you have looked at is skipped.',
        requestExample: { position: STOP_EXAMPLE.position, reason: 'Written by a release that was rolled back' },
        errors: ['PROJECTION_NOT_STOPPED', 'PROJECTION_STOPPED_ELSEWHERE'],
      },
    ),
  },
};
