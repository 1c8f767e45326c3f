import type { PublicEventType } from '@app/payments/domain';
import { eventExample, EVENTS, eventSchemaName } from '@app/payments/http/public-events.docs';
import { id, type JsonObject, object, oneOf, ref, TEXT, TIME } from '@app/platform/http/openapi/schema';
import { describeMembers } from './describe';

/** A component for each type, and `Event` for any of them. */
export function eventSchemas(): Readonly<Record<string, JsonObject>> {
  const each = Object.entries(EVENTS).map(([eventType, { data }]) => {
    const schema = object({ eventId: id('evt'), eventType: oneOf(eventType), timestamp: TIME, data });
    const name = eventSchemaName(eventType);
    return [name, describeMembers(name, schema)] as const;
  });
  const mapping = Object.fromEntries(
    Object.keys(EVENTS).map((type) => [type, `#/components/schemas/${eventSchemaName(type)}`]),
  );
  const any: JsonObject = {
    oneOf: each.map(([name]) => ref(name)),
    discriminator: { propertyName: 'eventType', mapping },
  };
  return { ...Object.fromEntries(each), Event: any };
}

const header = (name: string, description: string, example: string): JsonObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: TEXT,
  example,
});

function headersOf(eventType: string): readonly JsonObject[] {
  return [
    header(
      'X-Webhook-ID',
      'The delivery. It is the same on every attempt and redelivery: ignore one that you already know.',
      'whd_01JGFJK2Q0R8V5T3N7R2M4K6H9',
    ),
    header('X-Event-Type', 'The `eventType` of the body.', eventType),
    header(
      'X-Event-Sequence',
      "The event's place in its payment's history. Of two events, the later one has the higher number.",
      '5',
    ),
    header('X-Webhook-Attempt', 'The number of the attempt, from 1.', '1'),
    header(
      'X-Signature',
      '`sha256=` and the HMAC-SHA256 of the raw body in lower-case hex. The key is the webhook secret as it was printed.',
      `sha256=${'0'.repeat(64)}`,
    ),
    header('webhook-id', 'Standard Webhooks: the same as `X-Webhook-ID`.', 'whd_01JGFJK2Q0R8V5T3N7R2M4K6H9'),
    header('webhook-timestamp', 'Standard Webhooks: when this attempt was made, in seconds since 1970.', '1893456002'),
    header(
      'webhook-signature',
      'Standard Webhooks: one or more signatures `v1,<base64>`, separated by spaces. See the guide *Verifying webhooks*.',
      'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    ),
    header('User-Agent', 'The sender.', 'Counterfoil-Webhooks/1'),
  ];
}

/** The document's `webhooks`. */
export function webhooks(): JsonObject {
  const operations = Object.entries(EVENTS).map(([eventType, { when }]) => {
    const operation: JsonObject = {
      operationId: `on${eventSchemaName(eventType).replace(/Event$/, '')}`,
      tags: ['Webhooks'],
      summary: eventType,
      description: when,
      security: [],
      parameters: headersOf(eventType),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: ref(eventSchemaName(eventType)),
            example: eventExample(eventType as PublicEventType),
          },
        },
      },
      responses: {
        '2XX': { description: 'You received it. Answer within 15 seconds, and do your work afterwards.' },
        '410': { description: 'Stop: no further attempt is made.' },
        default: { description: 'Anything else is a failure, a redirect too. We try again for four days.' },
      },
    };
    return [eventType, { post: operation }] as const;
  });
  return Object.fromEntries(operations);
}
