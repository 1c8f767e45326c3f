import { createHash, createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sealSchemas } from '@app/audit/domain';
import { auditorSchemas, auditReadSchemas } from '@app/auditors/domain';
import { answeredRequestSchemas } from '@app/idempotency/domain';
import { dataKeySchemas } from '@app/keys/domain';
import { installationSchemas } from '@app/installations/domain';
import { merchantSchemas } from '@app/merchants/domain';
import { paymentSchemas } from '@app/payments/domain';
import { projectionRepairSchemas } from '@app/projections/repair';
import { webhookDeliverySchemas } from '@app/webhooks/domain';
import { eventHash, type EventSchema, type RecordedEvent } from '@app/event-sourcing';
import { sha256Netstrings } from '@app/platform/lifecycle/system-environment';
import { eventSchemas, otherFiles, problemsOf, problemsOfData } from '../support/event-schemas';

const EXAMPLES = join(__dirname, 'examples');
const README = resolve(__dirname, '../../docs/events/README.md');

const current = Object.entries<EventSchema>({
  ...paymentSchemas,
  ...merchantSchemas,
  ...dataKeySchemas,
  ...installationSchemas,
  ...webhookDeliverySchemas,
  ...projectionRepairSchemas,
  ...answeredRequestSchemas,
  ...sealSchemas,
  ...auditorSchemas,
  ...auditReadSchemas,
});
/** Old versions too: they stay in the log. */
const allNames = current.flatMap(([type, { version }]) =>
  Array.from({ length: version }, (_, index) => `${type}.v${index + 1}`),
);

/** One stored text a line. */
function examplesOf(name: string): readonly string[] {
  const text = readFileSync(join(EXAMPLES, `${name}.jsonl`), 'utf8');
  return text.split('\n').slice(0, -1);
}

function split(name: string): readonly [type: string, version: number] {
  const [type, version] = name.split('.v');
  return [type!, Number(version)];
}

/** Every object in a schema that describes an object. */
function objectSchemas(schema: unknown): readonly Record<string, unknown>[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = (schema as { type?: unknown }).type === 'object' ? [schema as Record<string, unknown>] : [];
  return [...own, ...Object.values(schema).flatMap(objectSchemas)];
}

describe('the schemas of stored events', () => {
  it('are one for every version of every event type, and no other', () => {
    expect([...eventSchemas.keys()].sort()).toEqual([...allNames].sort());
    expect(otherFiles).toEqual(['README.md']);
  });

  it.each([...eventSchemas])('%s names itself, explains itself and allows nothing unknown', (name, validate) => {
    const schema = validate.schema as Record<string, unknown>;
    const [type, version] = split(name);
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `urn:counterfoil:event:${type}:v${version}`,
      title: expect.stringMatching(/./),
      description: expect.stringMatching(/\.$/),
    });
    const objects = objectSchemas(schema);
    expect(objects.length).toBeGreaterThan(0);
    for (const object of objects) {
      expect(object['additionalProperties']).toBe(false);
      expect(Object.keys(object['properties'] as object)).toEqual(
        expect.arrayContaining(object['required'] as string[]),
      );
    }
  });
});

describe('the examples of stored events', () => {
  it('are of the events that there are', () => {
    expect(readdirSync(EXAMPLES).sort()).toEqual(allNames.map((name) => `${name}.jsonl`).sort());
  });

  it.each(allNames)('%s follow the schema, and parsing and writing gives the same bytes', (name) => {
    const examples = examplesOf(name);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      expect(problemsOfData(...split(name), example)).toEqual([]);
      expect(JSON.stringify(JSON.parse(example))).toBe(example);
    }
  });

  // The first example is the event as it was first published: its fields are required for ever. Later ones may add.
  it.each(allNames)('%s are refused with a field missing or a field too many', (name) => {
    const data = JSON.parse(examplesOf(name)[0]!) as Record<string, unknown>;
    for (const field of Object.keys(data)) {
      const { [field]: _left, ...others } = data;
      expect(problemsOfData(...split(name), JSON.stringify(others))).not.toEqual([]);
    }
    expect(problemsOfData(...split(name), JSON.stringify({ ...data, cvv: '123' }))).not.toEqual([]);
  });

  it('whose bytes would change are refused', () => {
    const [example] = examplesOf('PaymentAuthenticated.v1');
    expect(problemsOfData('PaymentAuthenticated', 1, example!.replace(':', ': '))).not.toEqual([]);
    expect(problemsOfData('PaymentAuthenticated', 2, example!)).toEqual(['PaymentAuthenticated.v2 has no schema']);
  });
});

describe('the event in the README', () => {
  const block = /```json\n([^]*?)```/.exec(readFileSync(README, 'utf8'))?.[1];
  const shown = JSON.parse(block!) as Pick<RecordedEvent, 'streamId' | 'revision' | 'id' | 'type' | 'data'> & {
    readonly metadata: Parameters<typeof eventHash>[1]['metadata'] & { readonly hash: string };
  };

  it('follows the schemas', () => {
    expect(problemsOf({ ...shown, metadata: JSON.stringify(shown.metadata) })).toEqual([]);
  });

  it('has the hash that the README describes, and that the service computes', () => {
    const { streamId, revision, id, type, data, metadata } = shown;
    const { recordedAt, previousHash, schemaVersion, correlationId, causationId, actor, macKeyId, mac } = metadata;
    const texts = [streamId, `${revision}`, id, type, recordedAt, data, previousHash, `${schemaVersion}`];
    texts.push(correlationId, causationId ?? '', actor);
    const framed = (some: readonly string[]) => some.map((text) => `${Buffer.from(text).length}:${text},`).join('');
    const content = framed(texts);
    expect(content).toContain('34:payment-01HZ7AAAAAAAAAAAAAAAAAAAAA,1:1,36:3f1c2a34-9d7e-4b1a-8c55-0d6a4f1e2b90,');
    expect(createHmac('sha256', new Uint8Array(32).fill(7)).update(content).digest('hex')).toBe(mac);
    const hashed = content + framed([macKeyId, mac]);
    expect(createHash('sha256').update(hashed).digest('hex')).toBe(metadata.hash);
    expect(eventHash(sha256Netstrings, shown)).toBe(metadata.hash);
  });

  it.each(['hash', 'mac', 'macKeyId', 'actor', 'previousHash', 'recordedAt'])(
    'is refused without its %s, or with another kind of it',
    (field) => {
      const broken = { ...shown.metadata, [field]: 7 };
      const missing = { ...shown.metadata, [field]: undefined };
      for (const metadata of [broken, missing]) {
        expect(problemsOf({ ...shown, metadata: JSON.stringify(metadata) })).not.toEqual([]);
      }
    },
  );
});
