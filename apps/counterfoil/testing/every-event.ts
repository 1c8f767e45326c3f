import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedEvent } from '@app/event-sourcing';

/**
 * Every event type and version that projections read, in histories of many payments and webhooks. Only ever extended.
 */
export const EVERY_EVENT: readonly RecordedEvent[] = readFileSync(join(__dirname, 'every-event.jsonl'), 'utf8')
  .split('\n')
  .slice(0, -1)
  .map((line) => JSON.parse(line) as Omit<RecordedEvent, 'position'> & { readonly position: string })
  .map((event): RecordedEvent => ({ ...event, position: BigInt(event.position) }));
