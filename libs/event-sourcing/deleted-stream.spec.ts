import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { ManualClock, SeededRandom } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { CommandHandling } from './handle';
import { type CounterCommand, counterDecider } from './testing/counter';

const STREAM = 'counter-1';
const context = { correlationId: 'request-1', causationId: null, actor: 'merchant:m1' };
const command: CounterCommand = { type: 'Count', by: [1, 2] };

/** A store in which somebody deleted the streams' events; the streams continue after them. */
class EmptiedEventStore extends MemoryEventStore {
  override async append(...args: Parameters<MemoryEventStore['append']>) {
    const { revision, position } = await super.append(...args);
    return { revision: revision + 4, position };
  }
  override async wasDeletedFrom() {
    return true;
  }
}

describe('a deleted stream', () => {
  const deps = { clock: new ManualClock(), random: new SeededRandom(1), proofs: new SpecProofs() };
  const handling = new CommandHandling({ ...deps, eventStore: new EmptiedEventStore() });
  const damage = { name: 'StreamDeletedError', kind: 'DELETED', streamId: STREAM };

  it('does not start again', async () => {
    const handled = handling.handle(counterDecider, STREAM, command, context);
    await expect(handled).rejects.toMatchObject({ ...damage, reason: expect.stringContaining('revision 4') });
  });

  it('differs from one that never existed', async () => {
    expect(await handling.load(counterDecider, 'counter-2')).toMatchObject({ last: null });
    await expect(handling.loadExisting(counterDecider, 'counter-2')).rejects.toMatchObject({ kind: 'DELETED' });
  });
});
