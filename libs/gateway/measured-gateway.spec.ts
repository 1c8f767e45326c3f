import { MeasuredGateway } from './measured-gateway';
import {
  GatewayOutcomeUnknownError,
  GatewayUnavailableError,
  type PaymentGateway,
  type TransactionOutcome,
} from './port';

const request = { reference: 'txn_1', gatewayReference: 'gw_1', amount: { amountMinor: 1n, currency: 'EUR' } } as never;
const response = { code: '00', message: 'Approved' };

function measuring(gateway: Partial<PaymentGateway>) {
  const counted: string[] = [];
  const metrics = { gatewayCall: (operation: string, outcome: string) => void counted.push(`${operation} ${outcome}`) };
  return { counted, gateway: new MeasuredGateway(gateway as PaymentGateway, metrics) };
}

describe('MeasuredGateway', () => {
  const { signal } = new AbortController();

  it("counts each call under the gateway's own word, and hands its answer on", async () => {
    const approved: TransactionOutcome = { kind: 'approved', processorResponse: response };
    const { gateway, counted } = measuring({
      register: async () => ({ gatewayReference: 'gw_1', riskScore: 1, riskLevel: 'LOW', nextAction: null }),
      challengeState: async () => 'succeeded',
      authorize: async () => approved,
      capture: async () => ({ kind: 'pending' }),
      void: async () => ({ kind: 'declined', code: 'PROCESSING_ERROR', processorResponse: response }),
      refund: async () => approved,
      inquire: async () => ({ kind: 'not-found' }),
    });
    await gateway.register({} as never, signal);
    await gateway.challengeState('gw_1', signal);
    expect(await gateway.authorize(request, signal)).toBe(approved);
    await gateway.capture(request, signal);
    await gateway.void(request, signal);
    await gateway.refund(request, signal);
    await gateway.inquire('txn_1', signal);
    expect(counted).toEqual([
      'register registered',
      'challenge-state succeeded',
      'authorize approved',
      'capture pending',
      'void declined',
      'refund approved',
      'inquire not-found',
    ]);
  });

  it('counts what was not taken, and what is not known', async () => {
    const failing = (error: Error) => measuring({ capture: () => Promise.reject(error) });
    for (const [error, outcome] of [
      [new GatewayUnavailableError('away'), 'unavailable'],
      [new GatewayOutcomeUnknownError('reset'), 'unknown'],
    ] as const) {
      const { gateway, counted } = failing(error);
      await expect(gateway.capture(request, signal)).rejects.toBe(error);
      expect(counted).toEqual([`capture ${outcome}`]);
    }
  });

  it('counts once what was given up, even where an answer comes later', async () => {
    let answer: (outcome: TransactionOutcome) => void = () => undefined;
    const { gateway, counted } = measuring({ authorize: () => new Promise((resolve) => (answer = resolve)) });
    const givingUp = new AbortController();
    const call = gateway.authorize(request, givingUp.signal);
    givingUp.abort();
    expect(counted).toEqual(['authorize unknown']);
    answer({ kind: 'pending' });
    await call;
    expect(counted).toEqual(['authorize unknown']);
  });
});
