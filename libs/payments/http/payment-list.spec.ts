import type { ListPaymentsQuery } from '@app/payments/read-models/list-queries';
import type { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { PaymentListController, type ListPaymentsParameters } from './payment-list.controller';

/** The filters that the list query received. */
async function filtersOf(parameters: ListPaymentsParameters): Promise<ListPaymentsQuery['filters'] | undefined> {
  const asked: ListPaymentsQuery[] = [];
  const queries = {
    execute: async (query: ListPaymentsQuery) => {
      asked.push(query);
      return { items: [], next: null };
    },
  } as unknown as QueryBus;
  const request = { id: 'req-1', state: { merchant: { merchantId: 'm1', name: 'Shop' } } } as unknown as FastifyRequest;
  await new PaymentListController(queries).list(parameters, request);
  return asked[0]?.filters;
}

describe('the time filters of the list of payments', () => {
  it('begin and end at the first millisecond that is not before what was asked for', async () => {
    const createdFrom = '2030-01-01T00:00:00.7681Z';
    const createdTo = '2030-01-01T00:00:00.7689Z';
    // Created at .768 is not from .7681 on, but it is before .7689.
    expect(await filtersOf({ createdFrom })).toEqual({ createdFrom: '2030-01-01T00:00:00.769Z' });
    expect(await filtersOf({ createdTo })).toEqual({ createdTo: '2030-01-01T00:00:00.769Z' });
    expect(await filtersOf({ createdFrom: '2030-01-01T00:00:00+00:00' })).toEqual({
      createdFrom: '2030-01-01T00:00:00.000Z',
    });
  });

  it('are the same moments in every time zone, and so the same list', async () => {
    const filters = { createdFrom: '2030-01-01T00:00:00.000Z', createdTo: '2030-01-01T12:00:00.000Z' };
    expect(
      await filtersOf({ createdFrom: '2030-01-01T02:00:00+02:00', createdTo: '2030-01-01T07:00:00-05:00' }),
    ).toEqual(filters);
  });

  it('that end before they begin, or as they begin, are refused', async () => {
    for (const createdTo of ['2029-12-31T23:59:59Z', '2030-01-01T02:00:00+02:00']) {
      await expect(filtersOf({ createdFrom: '2030-01-01T00:00:00Z', createdTo })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ field: 'createdTo', code: 'INVALID_FORMAT' }],
      });
    }
  });

  it('never reach a year that sorts before all others', async () => {
    expect(await filtersOf({ createdTo: '9999-12-31T23:59:59.9999Z' })).toEqual({
      createdTo: '9999-12-31T23:59:59.999Z',
    });
  });
});
