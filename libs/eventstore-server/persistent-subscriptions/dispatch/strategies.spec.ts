import { GivenGroup, message, messages } from '../../testing/given-group';
import { streamOf } from './strategies';

describe('round robin', () => {
  it('gives one to each in turn, those without room left out', () => {
    const group = new GivenGroup({ strategy: 'RoundRobin' });
    group.connect('a', 1);
    group.connect('b');
    group.connect('c');
    expect(group.arrive(...messages(0, 6))).toEqual(['a<0', 'b<1', 'c<2', 'b<3', 'c<4', 'b<5']);
    expect(group.disconnect('b')).toEqual(['c<1#1', 'c<3#1', 'c<5#1']);
    group.ack('a', 0);
    expect(group.arrive(...messages(6, 3))).toEqual(['a<6', 'c<7', 'c<8']);
  });
});

describe('dispatch to single', () => {
  it('gives to one as long as it has room', () => {
    const group = new GivenGroup({ strategy: 'DispatchToSingle' });
    group.connect('a', 2);
    group.connect('b', 2);
    expect(group.arrive(...messages(0, 5))).toEqual(['a<0', 'a<1', 'b<2', 'b<3']);
    expect(group.ack('a', 0)).toEqual(['a<4']);
    // In both it is b's turn until it has no room.
    group.ack('a', 1, 4);
    group.ack('b', 2, 3);
    expect(group.arrive(...messages(5, 1))).toEqual(['a<5']);
  });
});

describe.each(['Pinned', 'PinnedByCorrelation'] as const)('%s', (strategy) => {
  const streams = Array.from({ length: 40 }, (_, n) => `stream-${n}`);
  const ofStreams = (from: number, names: readonly string[] = streams) =>
    names.map((stream, n) => message(from + n, { stream }));
  /** Which consumer got the message of each stream. */
  const owners = (told: readonly string[]) => told.map((each) => each.split('<')[0]);

  it('gives a stream to the same consumer always, and each its part', () => {
    const group = new GivenGroup({ strategy, historyBufferSize: 1_000 });
    group.connect('a');
    group.connect('b');
    const first = owners(group.arrive(...ofStreams(0)));
    expect(first.filter((name) => name === 'a').length).toBeGreaterThan(10);
    expect(first.filter((name) => name === 'b').length).toBeGreaterThan(10);
    expect(owners(group.arrive(...ofStreams(100)))).toEqual(first);
  });

  it('lets other streams pass one whose consumer has no room', () => {
    const group = new GivenGroup({ strategy });
    group.connect('a', 1);
    group.connect('b', 3);
    const mine = group.arrive(message(0, { stream: 'x' }));
    const theirs = group.arrive(message(1, { stream: 'y' }));
    expect([...mine, ...theirs].toSorted()).toEqual(['a<0', 'b<1']);
    expect(group.arrive(message(2, { stream: 'x' }), message(3, { stream: 'y' }))).toEqual(['b<3']);
    // A waiting message is not done, although later ones are.
    group.ack('b', 1, 3);
    expect(group.ack('a', 0)).toEqual(['a<2']);
    expect(group.state.progress.place).toBe(1n);
  });

  it('moves no more than it must when consumers come and go', () => {
    const group = new GivenGroup({ strategy, historyBufferSize: 1_000 });
    group.connect('a');
    const before = owners(group.arrive(...ofStreams(0)));
    expect(new Set(before)).toEqual(new Set(['a']));
    group.ack('a', ...streams.keys());
    group.connect('b');
    const shared = owners(group.arrive(...ofStreams(100)));
    expect(shared.filter((name) => name === 'b').length).toBeGreaterThan(10);
    group.ack('a', ...streams.map((_, n) => 100 + n));
    group.disconnect('b');
    expect(new Set(owners(group.arrive(...ofStreams(200))))).toEqual(new Set(['a']));
  });
});

describe('what a message is pinned to', () => {
  it('is the stream that it was written to, or that its link names', () => {
    expect(streamOf(message(0, { stream: 'payment-1' }))).toBe('payment-1');
    expect(streamOf(message(0, { stream: '$ce-payment', type: '$>', data: '5@payment-1@2' }))).toBe('payment-1@2');
  });

  it('is the correlation, where there is one', () => {
    const group = new GivenGroup({ strategy: 'PinnedByCorrelation' });
    group.connect('a');
    group.connect('b');
    const correlated = Array.from({ length: 20 }, (_, n) =>
      message(n, { stream: `s-${n}`, metadata: '{"$correlationId":"one"}' }),
    );
    expect(new Set(group.arrive(...correlated).map((each) => each[0])).size).toBe(1);
    const none = ['no JSON "$correlationId"', '{"$correlationId":7}', '{}'].map((metadata, n) =>
      message(50 + n, { metadata }),
    );
    expect(new Set(group.arrive(...none).map((each) => each[0])).size).toBe(1);
  });
});
