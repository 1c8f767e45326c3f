import type { Document } from '@app/event-sourcing';

/** The document that a text holds; null where it is no JSON, or JSON of anything else. */
export function parsedDocument(body: string): Document | null {
  try {
    const value = JSON.parse(body) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Document) : null;
  } catch {
    return null;
  }
}
