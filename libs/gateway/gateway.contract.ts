import { describeAmounts } from './contract/amounts.contract';
import { describeCards } from './contract/cards.contract';
import { describeCertainty } from './contract/certainty.contract';
import { describeDisputes } from './contract/disputes.contract';
import { Payment } from './contract/driver.contract';
import type { GatewayUnderTest, Suite } from './contract/driver.contract';
import { describeRegistration } from './contract/registration.contract';

export type { GatewayUnderTest } from './contract/driver.contract';

/** The contract of every payment gateway, however it is reached. `start` is called once for the whole suite. */
export function describeGatewayContract(name: string, start: () => Promise<GatewayUnderTest>): void {
  describe(`${name} keeps the payment gateway’s contract:`, () => {
    let started: GatewayUnderTest | undefined;
    let payments = 0;
    const under = (): GatewayUnderTest => {
      if (started === undefined) throw new Error('The gateway under test was not started');
      return started;
    };
    const suite: Suite = {
      under,
      payment: (card) => {
        payments += 1;
        return new Payment(under(), `pay_${String(payments).padStart(26, '0')}`, card);
      },
    };

    beforeAll(async () => {
      started = await start();
    });
    afterAll(() => started?.close());

    describeRegistration(suite);
    describeCards(suite);
    describeAmounts(suite);
    describeDisputes(suite);
    // Last, because it restarts the gateway.
    describeCertainty(suite);
  });
}
