import { isIP } from 'node:net';
import type { FieldProblemCode } from '@app/platform/outcome';
import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsObject, Matches, ValidateBy, ValidateIf, ValidateNested } from 'class-validator';
import type { ErrorCode } from '../errors/catalogue';
import { parseTime } from '../times';

/*
 * Rules that class-validator lacks: text lengths in code points, as JSON Schema counts them, and formats specific to
 * this API. Everything else in the DTOs uses class-validator's decorators; `./json-schema` reads both.
 */

/** Part of a JSON Schema (draft 7) with this API's extensions: `x-problem`, `x-error` and `x-hint`. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Whether the body is optional because no field is required. An empty body then means `{}`. */
export function mayBeLeftOut(body: JsonSchema): boolean {
  return ((body['required'] ?? []) as readonly string[]).length === 0;
}

/** The name under which `rule` stores its schema in class-validator's metadata. */
export const RULE = 'counterfoilRule';

/**
 * Overrides the default refusal: `problem` is the field's code with its own message, `error` answers the whole request.
 * Passed as the `context` of a class-validator decorator, just as a hint is passed as its `message`.
 */
export interface Refusal {
  readonly problem?: FieldProblemCode;
  readonly error?: ErrorCode;
}

export function refusedAs(refusal: Refusal): { readonly context: Refusal } {
  return { context: refusal };
}

/** A rule in two forms: the schema validates requests, the predicate serves class-validator. They must agree. */
function rule(schema: JsonSchema, validate: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({ name: RULE, constraints: [schema], validator: { validate } });
}

/** The field may be absent. Null is a value, and an invalid one. */
export function Optional(): PropertyDecorator {
  return ValidateIf((_object: unknown, value: unknown) => value !== undefined);
}

/**
 * Excludes what must not appear on pages and terminals: control characters, line separators, and characters that change
 * the writing direction of what follows. Marks and joiners, which scripts need, are allowed.
 */
const LINE = /^[^\p{Cc}\u2028-\u202e\u2066-\u2069]*$/u;
/** Like `LINE`, but allows line breaks and tabs. */
const LINES = /^(?![^]*[\u2028-\u202e\u2066-\u2069])[\t\n\r\P{Cc}]*$/u;

/** Like `LINE` and `LINES`, but with visible content: not only spaces, line breaks and zero-width characters. */
const [WRITTEN_LINE, WRITTEN_LINES] = [LINE, LINES].map(
  ({ source }) => new RegExp(`^(?![\\s\\u00ad\\u200b-\\u200f\\u2060-\\u2064\\u2800\\u3164]*$)${source.slice(1)}`, 'u'),
) as [RegExp, RegExp];

const LINE_HINT = 'No control characters, and none that change the writing direction.';
const LINES_HINT = 'No control characters but line breaks and tabs, and none that change the writing direction.';
const WRITTEN = 'More than blanks. ';

/**
 * A text of `min` to `max` Unicode code points, on one line unless `lines` is set. Unless `min` is 0, it must not be
 * blank.
 */
export function Text({ lines = false, ...limits }: TextLimits): PropertyDecorator {
  const [any, written, hint] = lines ? [LINES, WRITTEN_LINES, LINES_HINT] : [LINE, WRITTEN_LINE, LINE_HINT];
  const [pattern, message] = limits.min === 0 ? [any, hint] : [written, WRITTEN + hint];
  return applyDecorators(CodePoints(limits), Matches(pattern, { message }));
}

export interface TextLimits {
  readonly min: number;
  readonly max: number;
  readonly lines?: boolean;
}

/** A token that this service created. The schema only limits its length; its reader checks it. */
export function Opaque({ max }: { readonly max: number }): PropertyDecorator {
  return CodePoints({ max });
}

/** class-validator's Length does not count variation selectors. */
function CodePoints({ min, max }: { readonly min?: number; readonly max: number }): PropertyDecorator {
  return rule({ type: 'string', ...(min === undefined ? {} : { minLength: min }), maxLength: max }, (value) =>
    hasLength(value, min ?? 0, max),
  );
}

export const URL_MAX_LENGTH = 2048;
const IP_MAX_LENGTH = 64;

/** An RFC 3339 time with any offset. */
export const TIME_FORMAT = 'rfc-3339';

/** Formats that JSON Schema lacks, or defines less strictly. */
export const FORMATS = {
  'absolute-url': isAbsoluteUrl,
  'web-url': isWebUrl,
  ip: (text: string) => text.length <= IP_MAX_LENGTH && isIP(text) !== 0,
  [TIME_FORMAT]: (text: string) => parseTime(text) !== null,
};

const HOST_HINT = 'Its host has at most 253 characters, and 1 to 63 between its dots.';

/** How each format is written, for error messages and the API documentation. */
const FORMAT_HINTS: Readonly<Record<keyof typeof FORMATS, string>> = {
  'absolute-url': `An absolute http or https URL. ${HOST_HINT}`,
  'web-url': `An absolute http or https URL without user name and password. ${HOST_HINT}`,
  ip: 'An IPv4 or IPv6 address.',
  [TIME_FORMAT]: 'An RFC 3339 time, such as 2031-01-31T12:00:00Z or 2031-01-31T14:00:00+02:00.',
};

function format(name: keyof typeof FORMATS, maxLength: number): PropertyDecorator {
  return rule(
    { type: 'string', maxLength, format: name, 'x-hint': FORMAT_HINTS[name] },
    (value) => typeof value === 'string' && hasLength(value, 0, maxLength) && FORMATS[name](value),
  );
}

export function MerchantId(): PropertyDecorator {
  return Matches(/^[A-Za-z0-9_]{1,64}$/, { message: '1 to 64 letters, digits or underscores.' });
}

/** A payment's id, as the API returned it. */
export function PaymentId(): PropertyDecorator {
  return Matches(/^pay_[0-9A-HJKMNP-TV-Z]{26}$/, { message: '`pay_` and 26 characters, as it was answered.' });
}

/** An absolute URL of any scheme. Which schemes are allowed is checked with the rest of the request. */
export function AbsoluteUrl(): PropertyDecorator {
  return format('absolute-url', URL_MAX_LENGTH);
}

/** An absolute http or https URL. */
export function WebUrl(): PropertyDecorator {
  return format('web-url', URL_MAX_LENGTH);
}

export function IpAddress(): PropertyDecorator {
  return format('ip', IP_MAX_LENGTH);
}

/** An RFC 3339 time, as `parseTime` reads it. */
export function DateTime(): PropertyDecorator {
  return format(TIME_FORMAT, 35);
}

export function Nested(type: () => new () => object): PropertyDecorator {
  return applyDecorators(IsObject(), ValidateNested(), Type(type));
}

export function ListOf(type: () => new () => object, { max }: { readonly max: number }): PropertyDecorator {
  return applyDecorators(
    IsArray(),
    ArrayMaxSize(max),
    // Without this, class-validator would accept a list as an element.
    IsObject({ each: true }),
    ValidateNested({ each: true }),
    Type(type),
  );
}

/** String pairs with keys of 1 to `maxKeyLength` code points. */
export function TextMap(limits: {
  readonly maxPairs: number;
  readonly maxKeyLength: number;
  readonly maxValueLength: number;
}): PropertyDecorator {
  const { maxPairs, maxKeyLength, maxValueLength } = limits;
  return rule(
    {
      type: 'object',
      maxProperties: maxPairs,
      propertyNames: { minLength: 1, maxLength: maxKeyLength, pattern: WRITTEN_LINE.source, 'x-hint': LINE_HINT },
      additionalProperties: { type: 'string', maxLength: maxValueLength, pattern: LINE.source, 'x-hint': LINE_HINT },
    },
    (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
      const pairs = Object.entries(value);
      const fits = ([key, text]: [string, unknown]) =>
        hasLength(key, 1, maxKeyLength) &&
        hasLength(text, 0, maxValueLength) &&
        WRITTEN_LINE.test(key) &&
        LINE.test(text as string);
      return pairs.length <= maxPairs && pairs.every(fits);
    },
  );
}

function hasLength(value: unknown, min: number, max: number): boolean {
  if (typeof value !== 'string') return false;
  let length = value.length;
  // Only a text with characters outside the basic plane has more code units than code points.
  if (length > max && length <= 2 * max) length = [...value].length;
  return length <= max && (length >= 2 * min || [...value].length >= min);
}

/** Visible ASCII only: the URL parser would silently strip or rewrite other characters. */
function isAbsoluteUrl(text: string): boolean {
  // For a body's longest text, the parser costs much more than this check.
  if (text.length > URL_MAX_LENGTH) return false;
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[\x21-\x7e]+$/.test(text)) return false;
  const url = URL.parse(text);
  // Without a host it has a scheme that is refused later.
  return url !== null && (url.hostname === '' || canBeHost(url.hostname));
}

/** Limits lengths as DNS does (RFC 1035), because the URL parser accepts any. A trailing dot is the root's. */
function canBeHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return name.length <= 253 && name.split('.').every((label) => label.length >= 1 && label.length <= 63);
}

/** No user name before the host: `https://bank.example@shop.example` leads elsewhere than it seems. */
function isWebUrl(text: string): boolean {
  return /^https?:\/\/(?![^/?#\\]*@)/i.test(text) && isAbsoluteUrl(text);
}
