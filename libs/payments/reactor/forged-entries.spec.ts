import type { ListedDocument } from '@app/event-sourcing';
import { create, PAYMENT_ID } from '@app/payments/testing/payments';
import { paymentStreamId } from '@app/payments/domain';
import { foreignEvent } from '@app/event-sourcing/testing/recorded-events';
import { ProcessingEnvironment, REFUND_ID } from './testing/processing-environment';
import { ScriptedGateway } from './testing/scripted-gateway';

const OTHER_ID = 'pay_00000000000000000000000002';

describe('a payment whose entry on the to-do list was forged', () => {
  let env: ProcessingEnvironment;
  beforeEach(() => {
    env = new ProcessingEnvironment(new ScriptedGateway());
  });
  afterEach(() => env.stop());

  /** Changes what the worker reads from its list, as if it was forged in the store. */
  function forge(forged: (listed: ListedDocument) => Partial<ListedDocument>): void {
    const page = env.readStore.page.bind(env.readStore);
    env.readStore.page = async (request) => (await page(request)).map((listed) => ({ ...listed, ...forged(listed) }));
  }

  it.each([
    ['no payment', 'payment-x'],
    ['one that there is not', 'pay_0000000000000000000000000Z'],
    ['a refund that there is not', REFUND_ID],
  ])('and names %s is not worked, and told of; the honest one beside it is', async (_what, key) => {
    forge((listed) => (listed.key === PAYMENT_ID ? { key } : {}));
    await env.command(create());
    await env.commandOn(OTHER_ID, create({ paymentId: OTHER_ID }));
    env.startWorker();
    await env.clock.advance(3_000);
    expect((await env.payment(OTHER_ID)).status).toBe('COMPLETED');
    expect(await env.types()).toEqual(['PaymentCreated']);
    expect(env.findings.forgeries[0]).toContain(`paymentsToProcess ${key}: `);
  });

  it('is worked as its stream says, whatever the entry says beside its key', async () => {
    forge(() => ({
      document: { paymentId: OTHER_ID, refundId: REFUND_ID, merchantId: 'evil', inquiry: true },
    }));
    await env.command(create());
    env.startWorker();
    await env.clock.advance(3_000);
    expect((await env.payment()).status).toBe('COMPLETED');
  });

  it('or that holds an event of others is left alone, and all others go on', async () => {
    await env.command(create());
    await env.eventStore.append(paymentStreamId(PAYMENT_ID), 0, [foreignEvent('f')]);
    await env.commandOn(OTHER_ID, create({ paymentId: OTHER_ID }));
    env.startWorker();
    await env.clock.advance(3_000);
    expect((await env.payment(OTHER_ID)).status).toBe('COMPLETED');
    expect(await env.types()).toEqual(['PaymentCreated', 'OrderShipped']);
    expect(env.findings.damages).toContain(`FOREIGN ${paymentStreamId(PAYMENT_ID)}@1`);
  });
});
