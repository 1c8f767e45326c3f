import type { FieldProblem, FieldProblemCode } from '@app/platform/outcome';
import type { ErrorObject } from 'ajv';
import type { JsonSchema } from './rules';
import { fieldPath } from './field-path';
import { nearestName } from './nearest-name';

/** More than an answer shows. Further fields of a hostile body cost nothing. */
const MAX_PROBLEMS = 100;

/**
 * The problems of a body: one per field, sorted by path, whatever the order in which the client wrote the fields. Only
 * the first hundred that were found.
 */
export function fieldProblems(errors: readonly ErrorObject[], body: unknown): readonly FieldProblem[] {
  const byField = new Map<string, FieldProblem>();
  for (const error of errors) {
    // Ajv reports the same key again as `propertyNames`, with the key's path.
    if (error.propertyName !== undefined) continue;
    if (byField.size === MAX_PROBLEMS) break;
    const problem = problemOf(error, body);
    if (!byField.has(problem.field)) byField.set(problem.field, problem);
  }
  return [...byField.values()].sort((one, other) => (one.field < other.field ? -1 : 1));
}

function problemOf(error: ErrorObject, body: unknown): FieldProblem {
  const { keyword, params, instancePath } = error;
  const at = (key?: unknown): string => pathOf(instancePath, body, key);
  switch (keyword) {
    case 'required':
      return problem(at(params['missingProperty']), 'REQUIRED', 'This field is required.');
    case 'additionalProperties':
      return unknownField(at(params['additionalProperty']), String(params['additionalProperty']), error);
    case 'propertyNames':
      return keyProblem(at(params['propertyName']), String(params['propertyName']), error);
    case 'maxLength':
      return problem(at(), declaredCode(error) ?? 'TOO_LONG', `Use at most ${String(params['limit'])} characters.`);
    case 'minItems':
      return problem(at(), 'INVALID_FORMAT', `Give at least ${String(params['limit'])} elements.`);
    case 'uniqueItems':
      return problem(at(), 'INVALID_FORMAT', 'Give each element only once.');
    case 'maxItems':
      return problem(at(), 'TOO_LONG', `Give at most ${String(params['limit'])} elements.`);
    case 'maxProperties':
      return problem(at(), 'TOO_LONG', `Give at most ${String(params['limit'])} keys.`);
    case 'type':
      return problem(at(), 'INVALID_FORMAT', `This must be ${TYPES[String(params['type'])] ?? 'of another type'}.`);
    default:
      return invalid(at(), error);
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  object: 'an object',
  array: 'an array',
  boolean: 'true or false',
};

/** Of names, the message shows only the schema's own. */
function unknownField(field: string, name: string, { parentSchema }: ErrorObject): FieldProblem {
  const meant = nearestName(name, Object.keys((parentSchema as JsonSchema | undefined)?.['properties'] ?? {}));
  const message = `There is no such field.${meant === null ? '' : ` Did you mean ${meant}?`}`;
  return problem(field, 'UNKNOWN_FIELD', message);
}

function keyProblem(field: string, key: string, { schema }: ErrorObject): FieldProblem {
  if (key.trim() === '') return problem(field, 'INVALID_FORMAT', 'A key must not be blank.');
  const { maxLength = Infinity } = schema as { readonly maxLength?: number };
  return key.length > maxLength && [...key].length > maxLength
    ? problem(field, 'TOO_LONG', 'The key is too long.')
    : problem(field, 'INVALID_FORMAT', 'The key holds a character that is not allowed.');
}

/** A value of the right type that is not allowed. */
function invalid(field: string, error: ErrorObject): FieldProblem {
  const code = declaredCode(error) ?? 'INVALID_FORMAT';
  switch (error.keyword) {
    case 'enum':
      return problem(field, code, `Use one of: ${(error.params['allowedValues'] as readonly string[]).join(', ')}.`);
    case 'minLength':
      return problem(field, code, 'This must not be empty.');
    case 'minimum':
      return problem(field, code, `This must be at least ${String(error.params['limit'])}.`);
    case 'maximum':
      return problem(field, code, `This must be at most ${String(error.params['limit'])}.`);
    default:
      return problem(field, code, declared<string>(error, 'x-hint') ?? MESSAGES[code] ?? 'This value is not allowed.');
  }
}

const MESSAGES: Partial<Readonly<Record<FieldProblemCode, string>>> = {
  INVALID_AMOUNT: 'Give a decimal string such as 12.50: up to 12 digits before the point, no sign, no leading zeros.',
  CURRENCY_NOT_SUPPORTED: 'Use the three upper-case letters of a current ISO 4217 currency.',
  INVALID_CARD_NUMBER: 'Give the 12 to 19 digits of the card number without separators.',
};

/** The code that the schema declares for refused values, if it is not the default. */
function declaredCode(error: ErrorObject): FieldProblemCode | undefined {
  return declared(error, 'x-problem');
}

function declared<T>(error: ErrorObject, keyword: 'x-problem' | 'x-hint'): T | undefined {
  return (error.parentSchema as Readonly<Record<string, T>> | undefined)?.[keyword];
}

function problem(field: string, code: FieldProblemCode, message: string): FieldProblem {
  return { field, code, message };
}

/** `/order/items/0` and `sku` as `order.items[0].sku`. */
function pathOf(pointer: string, body: unknown, key?: unknown): string {
  const names = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (typeof key === 'string') names.push(key);
  let container = body;
  const keys = names.map((name) => {
    const isPlace = Array.isArray(container);
    container = (container as Readonly<Record<string, unknown>> | undefined)?.[name];
    return isPlace ? Number(name) : name;
  });
  return fieldPath(keys);
}
