import type { HttpFixture } from './http-fixture';
import { createRequest, type TestRequest } from './requests';

/** Status and code of a refusal. Also checks its full shape, and that the request has not reached the application. */
export async function refusalOf(http: HttpFixture, request: TestRequest): Promise<[status: number, code: string]> {
  const answer = await http.app.inject(request);
  expect(http.behaviour.asked).toEqual([]);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['cache-control']).toBe('no-store');
  const { error, ...rest } = answer.json();
  expect(rest).toEqual({});
  expect(Object.keys(error).filter((key) => key !== 'details')).toEqual(['code', 'message', 'requestId']);
  expect(error.requestId).toBe(answer.headers['x-request-id']);
  expect('www-authenticate' in answer.headers).toBe(answer.statusCode === 401);
  return [answer.statusCode, error.code];
}

export async function statusOf(http: HttpFixture, request: TestRequest): Promise<number> {
  return (await http.app.inject(request)).statusCode;
}

/** A create without the header. */
export function without(name: string): TestRequest {
  return createRequest(({ headers }) => Reflect.deleteProperty(headers, name));
}

/** A create with this value of the header. */
export function having(name: string, value: string): TestRequest {
  return createRequest(({ headers }) => (headers[name] = value));
}
