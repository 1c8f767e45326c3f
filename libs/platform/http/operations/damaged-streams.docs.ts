import type { ResourceDocs } from '../openapi/operation-docs';
import { INTEGER, object, oneOf, pageOf, ref, TEXT, TIME } from '../openapi/schema';

const TAG = 'Damaged streams';

export const damagedStreamDocs: ResourceDocs = {
  tag: { name: TAG, description: 'Streams of the event store that were changed, cut or deleted from outside.' },
  schemas: {
    DamagedStream: object({
      streamId: TEXT,
      revision: INTEGER,
      kind: oneOf('FOREIGN', 'FORGED', 'NEWER', 'BROKEN', 'DELETED'),
      reason: TEXT,
      foundAt: TIME,
    }),
  },
  operations: {
    'GET /admin/v1/damaged-streams': {
      operationId: 'listDamagedStreams',
      tag: TAG,
      summary: 'List damaged streams',
      description:
        'Returns the damaged streams that the answering process has found since it started. Requests for what is in a damaged stream are ' +
        'answered with `HISTORY_DAMAGED`, and nothing is processed or sent for it. Everything else works as usual.',
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
