import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { AuditReads } from '@app/audit/commands';
import { auditReadsStreamId } from '@app/auditors/domain';
import { CommandHandling, EventStoreUnavailableError, isoTime } from '@app/event-sourcing';
import { ManualClock } from '@app/platform/testing/manual-clock';
import { SeededRandom } from '@app/platform/testing/seeded-random';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import type { ExecutionContext } from '@nestjs/common';
import { from, lastValueFrom } from 'rxjs';
import { AuditReadInterceptor } from './audit-read.interceptor';

const auditorId = `aud_${'0'.repeat(26)}`;

function fixture() {
  const [eventStore, clock] = [new MemoryEventStore(), new ManualClock()];
  const handling = new CommandHandling({ eventStore, clock, random: new SeededRandom(), proofs: new SpecProofs() });
  const interceptor = new AuditReadInterceptor(new AuditReads(handling, clock));
  const ask = (handler: () => Promise<unknown>, query: object = {}): Promise<unknown> => {
    const request = {
      ...{ id: 'req-1', params: {}, query, state: { auditor: { auditorId, name: 'A' } } },
      routeOptions: { url: '/audit/v1/head', config: { access: { kind: 'auditor' } } },
    };
    const execution = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
    return lastValueFrom(interceptor.intercept(execution, { handle: () => from(handler()) }));
  };
  const recorded = async () => {
    const events = await eventStore.readStream(auditReadsStreamId(auditorId, isoTime(clock.nowMs())));
    return events.map(({ data }) => JSON.parse(data) as object);
  };
  return { eventStore, ask, recorded };
}

describe('what an auditor reads', () => {
  it('is given only when it is recorded', async () => {
    const { eventStore, ask, recorded } = fixture();
    expect(await ask(async () => ({ position: '7' }))).toEqual({ position: '7' });
    expect(await recorded()).toEqual([{ auditorId, operation: '/audit/v1/head', parameters: [], items: 1 }]);
    await eventStore.close();
    await expect(ask(async () => ({ position: '7' }))).rejects.toThrow(EventStoreUnavailableError);
  });

  it('is recorded without card numbers, endless texts and cursors', async () => {
    const { ask, recorded } = fixture();
    await ask(async () => ({ items: [] }), { stream: 'x'.repeat(1_000), after: '4111111111111111', cursor: 'AAAA' });
    const parameters = [
      ['after', '[digits]'],
      ['stream', `${'x'.repeat(128)}…`],
    ];
    expect(await recorded()).toEqual([{ auditorId, operation: '/audit/v1/head', parameters, items: 0 }]);
  });

  it('is refused beyond so many requests at once, and then given again', async () => {
    const { ask } = fixture();
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const waiting = Array.from({ length: 16 }, () => ask(() => ended.then(() => ({}))));
    expect(() => ask(async () => ({}))).toThrow(
      expect.objectContaining({ code: 'RATE_LIMITED', headers: { 'Retry-After': '1' } }),
    );
    end();
    await Promise.all(waiting);
    expect(await ask(async () => ({}))).toEqual({});
  });
});
