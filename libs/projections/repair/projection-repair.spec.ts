import { given } from '@app/event-sourcing/testing/given-when-then';
import { projectionRepairDecider, projectionStreamId, type ProjectionEventSkipped } from './';

const skipped = (eventId: string, reason = 'its shape is unknown'): ProjectionEventSkipped => ({
  type: 'ProjectionEventSkipped',
  data: {
    projection: 'payments',
    position: '9007199254740993',
    eventId,
    eventType: 'PaymentCreated',
    streamId: 'payment-1',
    revision: 3,
    reason,
  },
});
const skip = (eventId: string, reason?: string) =>
  ({ type: 'SkipProjectionEvent', ...skipped(eventId, reason).data }) as const;

describe('a skipped event', () => {
  it('is recorded with all its details', () => {
    given(projectionRepairDecider).when(skip('e-1')).thenEvents(skipped('e-1'));
    given(projectionRepairDecider, skipped('e-1')).when(skip('e-2')).thenEvents(skipped('e-2'));
  });

  it('is recorded once, whatever reason is given later', () => {
    given(projectionRepairDecider, skipped('e-1')).when(skip('e-1')).thenNothing();
    given(projectionRepairDecider, skipped('e-1'), skipped('e-2')).when(skip('e-1', 'another')).thenNothing();
  });

  it('is identified by its id', () => {
    const { state } = given(projectionRepairDecider, skipped('e-1'), skipped('e-2'));
    expect([...state]).toEqual(['e-1', 'e-2']);
    expect([...projectionRepairDecider.initialState]).toEqual([]);
  });

  it('is recorded in the stream of its projection', () => {
    expect(projectionStreamId('webhook-deliveries')).toBe('projection-webhook-deliveries');
  });
});
