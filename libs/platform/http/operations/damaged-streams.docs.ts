import type { ResourceDocs } from '../openapi/operation-docs';
import { INTEGER, object, oneOf, pageOf, ref, TEXT, TIME } from '../openapi/schema';

const TAG = 'Damaged streams';

export const damagedStreamDocs: ResourceDocs = {
  tag: { name: TAG, description: "The operator's: streams of the event store that are set aside." },
  schemas: {
    DamagedStream: object({
      streamId: TEXT,
      revision: INTEGER,
      kind: oneOf('FOREIGN', 'NEWER', 'BROKEN', 'DELETED'),
      reason: TEXT,
      foundAt: TIME,
    }),
  },
  operations: {
    'GET /admin/v1/damaged-streams': {
      operationId: 'listDamagedStreams',
      tag: TAG,
      summary: 'Show which streams are damaged',
      description:
        'Those that the process which answers has come upon since it was started. Nothing is told or done of what a damaged stream ' +
        'holds: requests for it are answered with `HISTORY_DAMAGED`; everything else goes on.',
      answers: {
        200: {
          description: 'A page of streams.',
          schema: pageOf(ref('DamagedStream')),
          headers: ['Cache-Control'],
        },
      },
    },
  },
};
