import { SEALS_STREAM_ID } from '@app/audit/domain';
import { DELETION, type EventMetadata, type RecordedEvent } from '@app/event-sourcing';
import { foreignEvent } from '@app/event-sourcing/testing/recorded-events';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { AuditedLog, headOf, SpecSealingKeys, streamOf, verified } from '../testing/audited-log';
import { changedAt, indexOf, rehashed, renumbered } from '../testing/tampering';
import type { Finding, FindingKind } from './findings';
import { Verification } from './verification';

let events: RecordedEvent[];
let log: AuditedLog;
beforeEach(async () => {
  log = await new AuditedLog().fill();
  events = renumbered(await log.events());
});

const at = (payment: number, revision: number) => indexOf(events, streamOf(payment), revision);
const without = (gone: (event: RecordedEvent) => boolean) => events.filter((event) => !gone(event));
const foundIn = (changed: readonly RecordedEvent[], isGapless = false): Finding | undefined =>
  verified(changed, { isGapless }).findings.state.kept[0];

type Fault = readonly [
  what: string,
  kind: FindingKind,
  streamId: string | null,
  revision: number | null,
  RecordedEvent[],
];

describe('a log that nobody touched', () => {
  it('is intact, with its key, its head and without', () => {
    const { publicKey } = log.keys;
    const first = verified(events, { publicKey, isGapless: true });
    expect(first.findings.state).toEqual({ kept: [], counts: {} });
    expect(first.progress).toMatchObject({ events: 13, leaves: 10, streams: 4, unsealed: 1, size: 9 });
    expect(verified(events, { publicKey, trustedHead: headOf(first) }).findings.verdict).toBe('INTACT');
  });

  it('is intact while it grows, and after a clock that was set back', async () => {
    const trustedHead = headOf(verified(events));
    log.clock.step(-86_400_000);
    await log.write(5, '1');
    await log.newSealer().seal();
    const later = verified(await log.events(), { trustedHead });
    expect(later.findings.verdict).toBe('INTACT');
    expect(later.seals.state.clockSteps).toBe(1);
  });

  it('is verified to the same end from any event on where it was interrupted', () => {
    const whole = verified(events, { isGapless: true });
    for (let cut = 0; cut <= events.length; cut += 1) {
      const options = { publicKey: null, trustedHead: null, isGapless: true };
      const begun = new Verification(options);
      for (const event of events.slice(0, cut)) begun.take(event);
      const state = JSON.parse(JSON.stringify(begun.state)) as Verification['state'];
      const resumed = new Verification(options, state, begun.streams);
      for (const event of events.slice(cut)) resumed.take(event);
      resumed.finish();
      expect(resumed.state).toEqual(whole.state);
    }
  });
});

describe('a fault in the log', () => {
  const change = (event: RecordedEvent, from: string, to: string) => ({ ...event, data: event.data.replace(from, to) });
  const onMetadata = (event: RecordedEvent, changes: Partial<EventMetadata>) => ({
    ...event,
    metadata: JSON.stringify({ ...(JSON.parse(event.metadata) as EventMetadata), ...changes }),
  });
  const faults: readonly [string, () => Fault][] = [
    ['an amount', () => ['', 'CHANGED', streamOf(1), 1, changedAt(events, at(1, 1), (e) => change(e, '200', '900'))]],
    [
      'a byte',
      () => ['', 'CHANGED', streamOf(3), 0, changedAt(events, at(3, 0), (e) => change(e, 'amount', 'Amount'))],
    ],
    [
      'a time',
      () => {
        const recordedAt = '2029-01-01T00:00:00.000Z';
        return ['', 'CHANGED', streamOf(2), 0, changedAt(events, at(2, 0), (e) => onMetadata(e, { recordedAt }))];
      },
    ],
    [
      'who acted',
      () => {
        const actor = 'merchant:mer_2';
        return ['', 'CHANGED', streamOf(2), 1, changedAt(events, at(2, 1), (e) => onMetadata(e, { actor }))];
      },
    ],
    [
      'an amount, with all hashes made anew',
      () => {
        const changed = changedAt(events, at(1, 1), (e) => change(e, '200', '900'));
        return ['', 'CHANGED', streamOf(1), 3, rehashed(changed, streamOf(1))];
      },
    ],
    [
      'an amount, with the hash of that event made anew',
      () => {
        const changed = rehashed(
          changedAt(events, at(1, 1), (e) => change(e, '200', '900')),
          streamOf(1),
        );
        return ['', 'CHANGED', streamOf(1), 1, changedAt(events, at(1, 1), () => changed[at(1, 1)]!)];
      },
    ],
    [
      'two events that changed places',
      () => {
        const [one, other] = [events[at(1, 1)]!, events[at(1, 2)]!];
        const swapped = changedAt(events, at(1, 1), () => ({ ...other, revision: 1, position: one.position }));
        const moved = changedAt(swapped, at(1, 2), () => ({ ...one, revision: 2, position: other.position }));
        return ['', 'REORDERED', streamOf(1), 1, moved];
      },
    ],
    [
      'two events that changed places in the log alone',
      () => {
        const swapped = events.with(at(1, 1), events[at(1, 2)]!).with(at(1, 2), events[at(1, 1)]!);
        return ['', 'MISSING', streamOf(1), 1, renumbered(swapped)];
      },
    ],
    [
      'streams that changed places in the log',
      () => {
        const swapped = events.with(at(2, 0), events[at(1, 3)]!).with(at(1, 3), events[at(2, 0)]!);
        return ['', 'REORDERED', null, null, renumbered(swapped)];
      },
    ],
    [
      'an event in the middle that is gone',
      () => ['', 'MISSING', streamOf(1), 1, without((e) => e === events[at(1, 1)])],
    ],
    ['the end of a stream that is gone', () => ['', 'CUT', streamOf(1), 3, without((e) => e === events[at(1, 3)])]],
    [
      'the last two events of a stream that are gone',
      () => ['', 'CUT', streamOf(2), 1, without((e) => e.streamId === streamOf(2) && e.revision > 0)],
    ],
    ['a stream that is gone', () => ['', 'MISSING', streamOf(2), 0, without((e) => e.streamId === streamOf(2))]],
    [
      'a foreign event',
      () => {
        const foreign = { ...foreignEvent('f1'), streamId: streamOf(1), revision: 4, position: 14n };
        return ['', 'FORGED', streamOf(1), 4, [...events, foreign]];
      },
    ],
    [
      'an event with garbage hashes',
      () => {
        const forged = onMetadata(
          { ...events[at(1, 3)]!, revision: 4, position: 14n },
          { previousHash: 'g', hash: 'h' },
        );
        return ['', 'FORGED', streamOf(1), 4, [...events, forged]];
      },
    ],
    [
      'an event with a right hash that does not follow',
      () => {
        const alone = rehashed([{ ...events[at(1, 3)]!, revision: 4, position: 14n }], streamOf(1));
        return ['', 'FORGED', streamOf(1), 4, [...events, ...alone]];
      },
    ],
    [
      'an event added in the middle, with all hashes made anew',
      () => {
        const added = { ...events[at(1, 3)]!, revision: 4, id: 'added' };
        const inserted = [...events.slice(0, at(1, 3) + 1), added, ...events.slice(at(1, 3) + 1)];
        return ['', 'FORGED', null, null, renumbered(rehashed(inserted, streamOf(1)))];
      },
    ],
    [
      'events that the store hides',
      () => {
        const hidden = { ...foreignEvent('d', { type: DELETION }), streamId: streamOf(1), revision: 0, position: 14n };
        return ['', 'MISSING', streamOf(1), 0, [...events, hidden]];
      },
    ],
    ['a seal that is gone', () => ['', 'MISSING', SEALS_STREAM_ID, 1, without((e) => e === events[5 + 1])]],
    ['all seals gone', () => ['', 'UNSEALED', null, null, without((e) => e.streamId === SEALS_STREAM_ID)]],
  ];

  it.each(faults)('%s: is found and named', (_what, make) => {
    const [, kind, streamId, revision, changed] = make();
    expect(foundIn(changed)).toMatchObject({ kind, streamId, revision });
  });

  it("of another installation or a stranger is nobody's business", () => {
    const stranger = { ...foreignEvent('f1'), streamId: 'order-1', revision: 0, position: 14n };
    const found = verified([...events, stranger], { isGapless: true });
    expect([found.findings.verdict, found.progress.others]).toEqual(['INTACT', 1]);
  });

  it('is found at a gap in positions where nothing else shows it', () => {
    const gone = events.slice(0, -1).concat({ ...events.at(-1)!, position: 20n });
    expect(foundIn(gone, true)).toMatchObject({ kind: 'MISSING', streamId: null, position: '13' });
    expect(
      foundIn(
        changedAt(events, 0, (e) => ({ ...e, position: -5n })),
        true,
      ),
    ).toMatchObject({ kind: 'FORGED' });
  });

  it('does not hide another one in a later seal', () => {
    const changed = rehashed(
      changedAt(events, at(1, 1), (e) => change(e, '200', '900')),
      streamOf(1),
    );
    const { kept } = verified(changed.filter((event) => event !== changed[at(3, 0)])).findings.state;
    expect(kept.map(({ kind, streamId }) => [kind, streamId])).toEqual([
      ['CHANGED', streamOf(1)],
      ['MISSING', streamOf(3)],
    ]);
  });

  it('is not told of an event of a newer release', async () => {
    await log.writeLater(1);
    await log.write(9, '1');
    const { findings, progress } = verified(await log.events());
    expect(findings.state.kept).toMatchObject([{ kind: 'NEWER', streamId: streamOf(1), revision: 4 }]);
    expect(progress.events).toBe(14);
  });
});

describe('seals', () => {
  const onSeal = (change: (data: Record<string, unknown>) => void) => {
    const index = indexOf(events, SEALS_STREAM_ID, 1);
    const changed = changedAt(events, index, (event) => {
      const data = JSON.parse(event.data) as Record<string, unknown>;
      change(data);
      return { ...event, data: JSON.stringify(data) };
    });
    return rehashed(changed, SEALS_STREAM_ID);
  };

  it.each(['root', 'signature', 'keyId', 'sealedAt', 'position', 'previousSeal'])(
    'with another %s are forged',
    (field) => {
      const changed = onSeal((data) => (data[field] = `${String(data[field]).slice(0, -4)}0000`));
      expect(foundIn(changed)).toMatchObject({ kind: 'SEAL_FORGED', streamId: SEALS_STREAM_ID, revision: 1 });
    },
  );

  it.each([
    ['size', 4],
    ['streamEnds', []],
    ['peaks', []],
    ['refused', 7],
    ['lastLeaf', null],
  ])('with another %s are forged', (field, value) => {
    const changed = onSeal((data) => (data[field] = value));
    expect(foundIn(changed)).toMatchObject({ kind: 'SEAL_FORGED', revision: 1 });
  });

  it('are forged if their event says that it was changed', () => {
    const index = indexOf(events, SEALS_STREAM_ID, 1);
    const changed = changedAt(events, index, (event) => ({
      ...event,
      data: event.data.replace('"size":5', '"size":6'),
    }));
    expect(foundIn(changed)).toMatchObject({ kind: 'SEAL_FORGED', revision: 1 });
  });

  it("of another key are found with the auditor's key, and only with it", async () => {
    const { publicKey } = log.keys;
    const other = await new AuditedLog(new MemoryEventStore(), new SpecSealingKeys([9])).fill();
    const rewritten = await other.events();
    expect(verified(rewritten).findings.verdict).toBe('INTACT');
    expect(verified(rewritten, { publicKey }).findings.verdict).toBe('SEAL_FORGED');
  });

  it.each([
    ['from the start', 2, 'REWRITTEN'],
    ['with fewer events', 1, 'CUT'],
  ])(
    'of the right keys over a history that was rewritten %s are found with the trusted head',
    async (_how, rounds, kind) => {
      const trustedHead = headOf(verified(events));
      const other = new AuditedLog(new MemoryEventStore(), log.keys);
      const sealer = other.newSealer();
      for (let round = 0; round < rounds; round += 1) {
        await other.write(round, '1', '2', '3', '4', '5');
        await sealer.seal();
      }
      const rewritten = await other.events();
      const { publicKey } = log.keys;
      expect(verified(rewritten, { publicKey }).findings.verdict).toBe('INTACT');
      expect(verified(rewritten, { publicKey, trustedHead }).findings.verdict).toBe(kind);
    },
  );

  it('name the events that the service did not accept', async () => {
    await log.eventStore.append(streamOf(1), 3, [foreignEvent(log.random.uuid())]);
    await log.newSealer().seal();
    expect(verified(await log.events()).findings.state).toMatchObject({
      kept: [{ kind: 'FORGED', streamId: streamOf(1), revision: 4 }],
      counts: { FORGED: 1 },
    });
  });
});
