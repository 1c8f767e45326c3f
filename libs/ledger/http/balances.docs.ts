import { ACCOUNTS } from '@app/ledger/domain';
import type { OperationDoc, ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import {
  CURRENCY,
  DECIMAL,
  id,
  INTEGER,
  type JsonObject,
  listOf,
  object,
  oneOf,
  orNull,
  pageOf,
  ref,
  TEXT,
  TIME,
} from '@app/platform/http/openapi/schema';

const SIGNED_DECIMAL = { type: 'string', pattern: '^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$' };

const SUMS = {
  gatewayReceivable: SIGNED_DECIMAL,
  merchantPayable: SIGNED_DECIMAL,
  refundsPending: SIGNED_DECIMAL,
  feesEarned: SIGNED_DECIMAL,
  chargebacks: SIGNED_DECIMAL,
};

/** Listed with the merchant's other resources. */
export const balanceSchemas: Readonly<Record<string, JsonObject>> = {
  Balance: object({ currency: CURRENCY, ...SUMS }),
  Sums: object(SUMS),
  StatementEntry: object(
    {
      number: INTEGER,
      time: TIME,
      type: TEXT,
      eventId: id('evt'),
      paymentId: id('pay'),
      transactionId: id('txn'),
      refundId: id('ref', 42),
      disputeId: id('dsp', 42),
      change: ref('Sums'),
      balance: ref('Sums'),
    },
    ['transactionId', 'refundId', 'disputeId'],
  ),
  Statement: object({
    currency: CURRENCY,
    opening: ref('Sums'),
    items: listOf(ref('StatementEntry')),
    closing: ref('Sums'),
    nextCursor: orNull(TEXT),
  }),
};

const NOTHING = {
  gatewayReceivable: '0.00',
  merchantPayable: '0.00',
  refundsPending: '0.00',
  feesEarned: '0.00',
  chargebacks: '0.00',
};
const CAPTURE = {
  gatewayReceivable: '129.90',
  merchantPayable: '128.00',
  refundsPending: '0.00',
  feesEarned: '1.90',
  chargebacks: '0.00',
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
  'GET /api/v2/balances/statement': {
    operationId: 'readStatement',
    tag: 'Lists',
    summary: 'Read a statement',
    description:
      'Returns how a balance came about: each event that moved money is an entry, in order, with what it changed and the balance after it. ' +
      'A page opens with what the page before it closed with, and a period with what the period before it closed with. In a statement ' +
      'time never runs backwards: an event is entered at its own time, or at that of the entry before it if that is later.',
    answers: {
      200: {
        description: 'A page of the statement.',
        schema: ref('Statement'),
        example: {
          currency: 'EUR',
          opening: NOTHING,
          items: [
            {
              number: 1,
              time: '2030-01-01T00:00:02.310Z',
              type: 'payment.captured',
              eventId: 'evt_01JGFJK2Q0R8V5T3N7R2M4K6H9',
              paymentId: 'pay_01JGFJJZ00Q8V5T3N7R2M4K6H9',
              transactionId: 'txn_01JGFJJZ00AAT5T3N7R2M4K6H9',
              change: CAPTURE,
              balance: CAPTURE,
            },
          ],
          closing: CAPTURE,
          nextCursor: null,
        },
        headers: ['Cache-Control'],
      },
    },
    errors: ['READ_MODEL_REBUILDING'],
  },
};

const ACCOUNT_EXAMPLES = [
  { account: 'gatewayReceivable', debit: '129.90', credit: '0.00' },
  { account: 'merchantPayable', debit: '0.00', credit: '98.10' },
  { account: 'refundsPending', debit: '0.00', credit: '29.90' },
  { account: 'feesEarned', debit: '0.00', credit: '1.90' },
];

export const booksDocs: ResourceDocs = {
  tag: { name: 'Books', description: "What all merchants' accounts come to." },
  schemas: {
    TrialBalance: object({ asOf: orNull(TIME), currencies: listOf(ref('CurrencyTrialBalance')) }),
    CurrencyTrialBalance: object({
      currency: CURRENCY,
      accounts: listOf(object({ account: oneOf(...ACCOUNTS), debit: DECIMAL, credit: DECIMAL })),
      totalDebit: DECIMAL,
      totalCredit: DECIMAL,
    }),
  },
  operations: {
    'GET /admin/v1/trial-balance': {
      operationId: 'readTrialBalance',
      tag: 'Books',
      summary: 'Read the trial balance',
      description:
        "Returns the sums of all merchants' accounts for each currency, as they are or as they were at a time. Debits and credits of a currency " +
        'are equal. It is answered from the read model; `counterfoil audit trial-balance` computes the same from the log alone.',
      answers: {
        200: {
          description: 'The trial balance.',
          schema: ref('TrialBalance'),
          example: {
            asOf: null,
            currencies: [{ currency: 'EUR', accounts: ACCOUNT_EXAMPLES, totalDebit: '129.90', totalCredit: '129.90' }],
          },
          headers: ['Cache-Control'],
        },
      },
      errors: ['READ_MODEL_REBUILDING'],
    },
  },
};
