import type { Damage, EventStore, RecordedEvent } from '@app/event-sourcing';
import { writeYear } from '@app/audit/testing/generated-year';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { EXPORT_FORMATS, exportBooks, type ExportFormatName } from './export-books';

/** A log in which others have changed something. */
class ChangedLog extends MemoryEventStore {
  change: (events: readonly RecordedEvent[]) => readonly RecordedEvent[] = (events) => events;

  override async readAll(...args: Parameters<EventStore['readAll']>) {
    const batch = await super.readAll(...args);
    return { ...batch, events: this.change(batch.events) };
  }
}

const log = new ChangedLog();
let captured: RecordedEvent;

beforeAll(async () => {
  await writeYear(log, 40);
  const { events } = await log.readAll({ after: null, filter: { streamPrefixes: [''] }, maxCount: 1_000 });
  captured = events.find(({ type }) => type === 'PaymentCaptured')!;
});
beforeEach(() => {
  log.change = (events) => events;
});

async function exported(format: ExportFormatName = 'jsonl', isAborted = false) {
  const damages: Damage[] = [];
  const interruption = new AbortController();
  if (isAborted) interruption.abort();
  const options = { signal: interruption.signal, onDamage: (damage: Damage) => damages.push(damage) };
  let text = '';
  for await (const piece of exportBooks(log, EXPORT_FORMATS[format](), {}, options)) text += piece;
  return { text, damages };
}

const replaced = (one: RecordedEvent, change: Partial<RecordedEvent>) => (events: readonly RecordedEvent[]) =>
  events.map((event) => (event.id === one.id ? { ...event, ...change } : event));

describe('an export of a log that was changed', () => {
  it.each<[string, () => void, Damage['kind'], string]>([
    [
      'an amount',
      () => {
        const data = captured.data.replace(/"amountMinor":"\d/, '"amountMinor":"9');
        log.change = replaced(captured, { data });
      },
      'BROKEN',
      'its hash is not that of its content',
    ],
    [
      'a time',
      () => {
        const metadata = captured.metadata.replace('"recordedAt":"2026', '"recordedAt":"2025');
        log.change = replaced(captured, { metadata });
      },
      'BROKEN',
      'its hash is not that of its content',
    ],
    [
      'an event that is missing',
      () => {
        log.change = (events) =>
          events.filter(
            ({ streamId, revision }) => streamId !== captured.streamId || revision !== captured.revision - 1,
          );
      },
      'BROKEN',
      'the event before it is missing',
    ],
    ['an event of others', () => (log.change = replaced(captured, { metadata: '{}' })), 'FOREIGN', 'its metadata'],
    [
      'a type of a newer release',
      () => (log.change = replaced(captured, { type: 'PaymentDoubled' })),
      'NEWER',
      'unknown',
    ],
  ])('(%s) names the stream and says in itself that it is incomplete', async (_what, change, kind, reason) => {
    const whole = await exported();
    expect(whole.damages).toEqual([]);
    change();
    const { text, damages } = await exported();
    expect(damages).toEqual([expect.objectContaining({ streamId: captured.streamId, kind })]);
    expect(damages[0]?.reason).toContain(reason);
    expect(text).toContain(`{"kind":"damaged","streamId":"${captured.streamId}"`);
    expect(text).not.toContain(captured.id);
    const others = whole.text
      .split('\n')
      .filter((line) => line.includes('"kind":"entry"') && !line.includes(captured.streamId));
    const shown = text.split('\n').filter((line) => line.includes('"kind":"entry"'));
    expect(shown.map(eventIn)).toEqual(expect.arrayContaining(others.map(eventIn)));
  });

  it.each(['hledger', 'beancount', 'csv'] as const)('says so in %s too', async (format) => {
    log.change = replaced(captured, { data: captured.data.replace('{', '{ ') });
    expect((await exported(format)).text).toContain(`${captured.streamId} is damaged at revision ${captured.revision}`);
  });
});

const eventIn = (line: string) => (JSON.parse(line) as { event: { id: string } }).event.id;

describe('an export', () => {
  it.each(['hledger', 'beancount', 'csv', 'jsonl'] as const)(
    'ends with its last line only if it is whole: %s',
    async (format) => {
      const last = { jsonl: '"kind":"end"' }[format as string] ?? 'end of the export';
      expect((await exported(format)).text.trim().split('\n').at(-1)).toContain(last);
      expect((await exported(format, true)).text).not.toContain(last);
    },
  );

  it('numbers the entries of each merchant and currency without gaps, the same in every export', async () => {
    const numbers = new Map<string, number[]>();
    for (const line of (await exported()).text.split('\n').filter((text) => text.includes('"kind":"entry"'))) {
      const entry = JSON.parse(line) as { merchantId: string; currency: string; number: number };
      const journal = `${entry.merchantId} ${entry.currency}`;
      numbers.set(journal, [...(numbers.get(journal) ?? []), entry.number]);
    }
    expect(numbers.size).toBeGreaterThan(5);
    for (const found of numbers.values()) expect(found).toEqual(found.map((_number, index) => index + 1));
  });
});
