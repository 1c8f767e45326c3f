import type { OperationDoc } from '@app/platform/http/openapi/operation-docs';
import { CURRENCY, type JsonObject, object, pageOf, ref } from '@app/platform/http/openapi/schema';

const SIGNED_DECIMAL = { type: 'string', pattern: '^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$' };

/** Listed with the merchant's other resources. */
export const balanceSchemas: Readonly<Record<string, JsonObject>> = {
  Balance: object({
    currency: CURRENCY,
    gatewayReceivable: SIGNED_DECIMAL,
    merchantPayable: SIGNED_DECIMAL,
    refundsPending: SIGNED_DECIMAL,
    feesEarned: SIGNED_DECIMAL,
    chargebacks: SIGNED_DECIMAL,
  }),
};

export const balanceOperations: Readonly<Record<string, OperationDoc>> = {
  'GET /api/v2/balances': {
    operationId: 'readBalances',
    tag: 'Lists',
    summary: 'Read balances',
    description:
      'Returns what the merchant is owed, for each currency in which it has captured. `gatewayReceivable` is always the sum of the ' +
      'other four, and `gatewayReceivable` less `chargebacks` is what the gateway still owes.',
    answers: {
      200: {
        description: 'A page of balances.',
        schema: pageOf(ref('Balance')),
        example: {
          items: [
            {
              currency: 'EUR',
              gatewayReceivable: '129.90',
              merchantPayable: '98.10',
              refundsPending: '29.90',
              feesEarned: '1.90',
              chargebacks: '0.00',
            },
          ],
          nextCursor: null,
        },
        headers: ['Cache-Control'],
      },
    },
    errors: ['READ_MODEL_REBUILDING'],
  },
};
