import type { Json } from '@app/platform/http/openapi/schema';

export interface GlossaryEntry {
  /** Markdown, one or two sentences. */
  readonly description: string;
  /** For anything but an object or a list of objects. */
  readonly example?: Json;
}

export const entry = (description: string, example?: Json): GlossaryEntry =>
  example === undefined ? { description } : { description, example };

export const CREATED_AT = '2030-01-01T00:00:00.000Z';
