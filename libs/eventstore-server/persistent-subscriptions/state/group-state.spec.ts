import { GivenGroup, message, messages } from '../../testing/given-group';

describe('a group', () => {
  it('hands out what waits once somebody comes, in order and as far as there is room', () => {
    const group = new GivenGroup();
    expect(group.arrive(...messages(0, 5))).toEqual([]);
    expect(group.connect('a', 2)).toEqual(['a<0', 'a<1']);
    expect(group.ack('a', 0)).toEqual(['a<2']);
    expect(group.ack('a', 1, 2)).toEqual(['a<3', 'a<4']);
    expect(group.state.progress.place).toBe(2n);
  });

  it('lets a slow consumer hold its own messages and no others', () => {
    const group = new GivenGroup();
    group.connect('slow', 2);
    group.connect('quick', 2);
    group.arrive(...messages(0, 8));
    expect(group.ack('quick', 1, 3)).toEqual(['quick<4', 'quick<5']);
    expect(group.ack('quick', 4, 5)).toEqual(['quick<6', 'quick<7']);
    // The slow consumer holds the progress back.
    expect(group.state.progress.place).toBeNull();
    group.ack('slow', 0, 2);
    expect(group.state.progress.place).toBe(5n);
  });

  it('retries before it hands out new ones, by their places, and counts', () => {
    const group = new GivenGroup();
    group.connect('a', 3);
    group.arrive(...messages(0, 6));
    expect(group.nack('a', 'retry', 2, 0)).toEqual(['a<0#1', 'a<2#1']);
    expect(group.nack('a', 'retry', 0)).toEqual(['a<0#2']);
  });

  it('parks what was retried often enough, and what it is told to', () => {
    const group = new GivenGroup({ maxRetryCount: 1 });
    group.connect('a');
    group.arrive(...messages(0, 3));
    expect(group.nack('a', 'retry', 0)).toEqual(['a<0#1']);
    expect(group.nack('a', 'retry', 0)).toEqual(['park 0: Reached retry count of 1']);
    expect(group.nack('a', 'park', 1)).toEqual([`park 1: Client explicitly NAK'ed message.\nwhy`]);
    group.ack('a', 2);
    // A message is not done until it is parked.
    expect(group.state.progress.place).toBeNull();
    const [first, second] = messages(0, 2);
    group.state.parked(first!);
    expect(group.state.progress.place).toBe(0n);
    group.state.parked(second!);
    expect(group.state.progress.place).toBe(2n);
  });

  it('hands out again what could not be parked', () => {
    const group = new GivenGroup();
    group.connect('a');
    const [parked] = messages(0, 1);
    group.arrive(parked!);
    group.nack('a', 'park', 0);
    expect(group.told(group.state.notParked({ message: parked!, retryCount: 0 }, 0))).toEqual(['a<0']);
    expect(group.state.progress.place).toBeNull();
  });

  it.each(['skip', 'stop'] as const)('counts what is answered with %s as done', (action) => {
    const group = new GivenGroup();
    group.connect('a', 1);
    group.arrive(...messages(0, 2));
    expect(group.nack('a', action, 0)).toEqual(['a<1']);
    expect(group.state.progress.place).toBe(0n);
    expect(group.state.inFlight).toBe(1);
  });

  it('retries what takes too long; with no time at all, at the next look', () => {
    const group = new GivenGroup();
    group.connect('a', 2);
    group.arrive(...messages(0, 3));
    expect(group.after(999)).toEqual([]);
    expect(group.after(1)).toEqual(['a<0#1', 'a<1#1']);
    group.after(1_000);
    expect(group.after(1_000)).toEqual(['park 0: Reached retry count of 2', 'park 1: Reached retry count of 2', 'a<2']);

    const impatient = new GivenGroup({ messageTimeoutMs: 0 });
    impatient.connect('a');
    impatient.arrive(...messages(0, 1));
    expect([impatient.after(0), impatient.after(0)]).toEqual([['a<0#1'], ['a<0#2']]);
    expect(impatient.after(0)).toEqual(['park 0: Reached retry count of 2']);
  });

  it('takes a late answer for the message wherever it is', () => {
    const group = new GivenGroup();
    group.connect('a', 1);
    group.connect('b', 1);
    expect(group.arrive(...messages(0, 1))).toEqual(['a<0']);
    expect(group.after(1_000)).toEqual(['b<0#1']);
    expect(group.ack('a', 0)).toEqual([]);
    expect(group.state.progress.place).toBe(0n);
    expect(group.state.inFlight).toBe(0);
    expect(group.ack('b', 0)).toEqual([]);
    expect(group.ack('b', 77)).toEqual([]);
  });

  it('gives what a consumer had to others when it leaves', () => {
    const group = new GivenGroup();
    group.connect('a');
    group.arrive(...messages(0, 3));
    group.ack('a', 1);
    group.connect('b');
    expect(group.disconnect('a')).toEqual(['b<0#1', 'b<2#1']);
    expect(group.disconnect('a')).toEqual([]);
    expect(group.disconnect('b')).toEqual([]);
    expect(group.state.waiting.retryCount).toBe(2);
  });

  it('parks what was retried often enough when its consumer leaves', () => {
    const group = new GivenGroup({ maxRetryCount: 0 });
    group.connect('a');
    group.arrive(...messages(0, 1));
    expect(group.disconnect('a')).toEqual(['park 0: Reached retry count of 0']);
  });

  it('replays before new messages, after retries, beside the progress of its source', () => {
    const group = new GivenGroup();
    group.arrive(...messages(0, 2));
    group.replay(message(7, { id: 'id-107', isReplayed: true }), message(8, { id: 'id-108', isReplayed: true }));
    expect(group.connect('a', 4)).toEqual(['a<7', 'a<8', 'a<0', 'a<1']);
    expect(group.nack('a', 'retry', 107, 0)).toEqual(['a<0#1', 'a<7#1']);
    group.ack('a', 108);
    expect(group.state.replay.place).toBeNull();
    group.ack('a', 107);
    expect(group.state.replay.place).toBe(8n);
    expect(group.state.progress.place).toBeNull();
  });

  it('knows two events of the same id apart by the order of their delivery', () => {
    const group = new GivenGroup();
    group.connect('a');
    group.arrive(message(0), message(1, { id: 'id-0' }));
    group.ack('a', 0);
    expect(group.state.progress.place).toBe(0n);
    group.ack('a', 0);
    expect(group.state.progress.place).toBe(1n);
  });

  it('reads in batches while behind and one by one at the end, never beyond its buffer', () => {
    const group = new GivenGroup({ historyBufferSize: 10, readBatchSize: 4, liveBufferSize: 6 });
    expect([group.state.room(false), group.state.room(true)]).toEqual([4, 6]);
    group.arrive(...messages(0, 5));
    expect([group.state.room(false), group.state.room(true)]).toEqual([4, 5]);
    group.arrive(...messages(5, 1));
    expect([group.state.room(false), group.state.room(true)]).toEqual([0, 4]);
    group.arrive(...messages(6, 4));
    expect([group.state.room(false), group.state.room(true)]).toEqual([0, 0]);
  });

  it('holds large messages back before they fill the memory', () => {
    const group = new GivenGroup({ historyBufferSize: 10_000 });
    const large = (place: number) => message(place, { bytes: 1024 * 1024 });
    for (let place = 0; place < 32; place += 1) group.arrive(large(place));
    expect(group.state.room(true)).toBe(0);
    expect(group.connect('a', 1_000)).toHaveLength(16);
    expect(group.ack('a', 0)).toEqual(['a<16']);
    expect(group.state.room(true)).toBeGreaterThan(0);
  });
});
