import { Html, html } from '@app/runtime/html';
import type { Json, JsonObject } from '../schema';
import { inline } from './markdown';

interface Field {
  readonly path: string;
  readonly required: boolean;
  readonly schema: JsonObject;
}

/** Every field of the schema, the nested ones by their paths, in the order of the schema. */
export function fieldTable(document: JsonObject, schema: JsonObject): Html {
  const fields = fieldsOf(document, schema, '');
  if (fields.length === 0) return html``;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Fields">
    <table class="fields">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">What it is</th>
        </tr>
      </thead>
      <tbody>
        ${Html.join(fields.map(row))}
      </tbody>
    </table>
  </div>`;
}

/** The schema that a reference leads to. */
export function resolved(document: JsonObject, schema: JsonObject): JsonObject {
  const { $ref, ...own } = schema;
  if (typeof $ref !== 'string') return schema;
  const target = $ref
    .slice(2)
    .split('/')
    .reduce<Json>((node, key) => (node as JsonObject)[key] ?? {}, document);
  return { ...(target as JsonObject), ...own };
}

function fieldsOf(document: JsonObject, given: JsonObject, prefix: string): readonly Field[] {
  const schema = resolved(document, given);
  const items = schema['items'] as JsonObject | undefined;
  if (items !== undefined) return fieldsOf(document, items, prefix === '' ? '' : `${prefix}[]`);
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonObject>>;
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const field = { path, required: required.includes(name), schema: resolved(document, member) };
    return [field, ...fieldsOf(document, member, path)];
  });
}

function row({ path, required, schema }: Field): Html {
  const cut = path.lastIndexOf('.') + 1;
  const example = (schema['examples'] as readonly Json[] | undefined)?.[0];
  return html`<tr>
    <td>
      <code><span class="parent">${path.slice(0, cut)}</span>${path.slice(cut)}</code>
      <div class="kind">${typeOf(schema)}${required ? '' : html` · <span class="optional">optional</span>`}</div>
    </td>
    <td>
      ${inline(text(schema['description']))} ${limitsOf(schema)}
      ${example === undefined ? '' : html`<div class="kind">Example: <code>${JSON.stringify(example)}</code></div>`}
    </td>
  </tr>`;
}

/** The type in words: a list says of what, a text in which format. */
export function typeOf(schema: JsonObject): string {
  if (Array.isArray(schema['oneOf'])) return 'object or null';
  const types = [schema['type'] ?? 'object'].flat().map(text);
  const type = types.join(' or ');
  const items = schema['items'] as JsonObject | undefined;
  if (items !== undefined) return `list of ${typeof items['type'] === 'string' ? `${items['type']}s` : 'objects'}`;
  return typeof schema['format'] === 'string' ? `${type}, ${schema['format']}` : type;
}

/** What a value may be: its enum, range, default and pattern. */
export function limitsOf(schema: JsonObject): Html {
  const values = schema['enum'] as readonly Json[] | undefined;
  if (values !== undefined) {
    const shown = values.map((value) => html` <code>${plain(value)}</code>`);
    return html`<div class="kind">One of:${Html.join(shown)}</div>`;
  }
  const facts = [
    range('characters', schema['minLength'], schema['maxLength']),
    range('', schema['minimum'], schema['maximum']),
    range('elements', schema['minItems'], schema['maxItems']),
    range('keys', undefined, schema['maxProperties']),
    schema['default'] === undefined ? '' : `${JSON.stringify(schema['default'])} when absent`,
  ].filter((fact) => fact !== '');
  const pattern = schema['pattern'];
  const shown = typeof pattern === 'string' ? html`<div class="kind">Matches <code>${pattern}</code></div>` : html``;
  return facts.length === 0
    ? shown
    : html`<div class="kind">${facts.join('; ')}</div>
        ${shown}`;
}

function range(unit: string, min: Json | undefined, max: Json | undefined): string {
  const least = typeof min === 'number' && min > 0 ? min : null;
  if (typeof max !== 'number') return least === null ? '' : `At least ${least} ${unit}`.trim();
  return (least === null ? `At most ${max} ${unit}` : `${least} to ${max} ${unit}`).trim();
}

/** A text as it is, anything else as JSON. */
export function plain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
