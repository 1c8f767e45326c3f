import type { Document } from '@app/event-sourcing';

/** Parses a document; null if the text is not a JSON object. */
export function parsedDocument(body: string): Document | null {
  try {
    const value = JSON.parse(body) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Document) : null;
  } catch {
    return null;
  }
}
