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
  tag: { name: TAG, description: "The operator's: read models, which are projections of the log." },
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
      summary: 'Show how the projections stand',
      description:
        'Each with its partitions. `active` is the version that is read, `building` one that is built beside it and ' +
        'takes its place once it has caught up. Shares and times are estimates by the way through the log.',
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
      'It is being built.',
      exampleOf(ACTIVE_EXAMPLE, { ...BUILD_EXAMPLE, position: null, events: 0, percent: 0, secondsLeft: null }),
      {
        operationId: 'rebuildProjection',
        summary: 'Build a projection anew',
        description:
          'From the whole log, beside the version that is read, which nobody notices. All partitions are built; while one of them is, ' +
          'none is begun again.',
        errors: ['REBUILD_IN_PROGRESS'],
      },
    ),
    'POST /admin/v1/projections/:projection/cancel': operation(200, 'It is given up.', exampleOf(ACTIVE_EXAMPLE), {
      operationId: 'cancelRebuild',
      summary: 'Give a rebuild up',
      description:
        'What is read stays as it is. Where the rebuild was begun because the code has changed, it is begun again at the next start, ' +
        'or by a rebuild that is asked for; until then the projection stands still.',
      errors: ['NO_REBUILD_IN_PROGRESS'],
    }),
    'POST /admin/v1/projections/:projection/retry': operation(202, 'It goes on.', exampleOf(ACTIVE_EXAMPLE), {
      operationId: 'retryProjection',
      summary: 'Have a stopped projection try again',
      description:
        'It tries the event once more at which it has stopped. Where nothing has changed it stops there again, within a second or so.',
      errors: ['PROJECTION_NOT_STOPPED'],
    }),
    'POST /admin/v1/projections/:projection/skip': operation(
      202,
      'It goes on behind the event.',
      exampleOf(ACTIVE_EXAMPLE),
      {
        operationId: 'skipProjectionEvent',
        summary: 'Have a stopped projection skip its event',
        description:
          'The projection leaves the event out, now and whenever it is built again; other projections do not. What the event says is ' +
          'then missing in what is read. That it is skipped, and why, is itself an event of the log, and is not taken back. ' +
          '`position` has to be the one at which it stands, so that no other event is skipped than the one looked at.',
        requestExample: { position: STOP_EXAMPLE.position, reason: 'Written by a release that was taken back' },
        errors: ['PROJECTION_NOT_STOPPED', 'PROJECTION_STOPPED_ELSEWHERE'],
      },
    ),
  },
};
