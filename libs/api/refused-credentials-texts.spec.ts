import { type HttpFixture, MERCHANT_TOKEN, startHttp } from './testing/http-fixture';
import { having } from './testing/refusal';
import { createRequest, getRequest, NOW, sign, type TestRequest } from './testing/requests';

describe('what is told of credentials that are refused', () => {
  let http: HttpFixture;
  beforeAll(async () => {
    http = await startHttp();
  });
  afterAll(() => http.app.close());

  const SPELLING = 'The X-Signature must be a single header: sha256= and 64 lower-case hexadecimal digits.';
  const WRONG =
    'The X-Signature is not that of this request as it was received: compare the six lines with /docs#signing-requests, ' +
    "and the signing secret with the merchant's.";
  const messageOf = async (request: TestRequest) => (await http.app.inject(request)).json().error.message;

  it.each([
    [
      '2029-01-01T00:00:00Z',
      `The X-Timestamp must be at most 300 seconds old and 60 seconds ahead; the server's time is ${NOW}.`,
    ],
    ['yesterday', `The X-Timestamp must be a single header, an RFC 3339 time in UTC such as ${NOW}.`],
    ['2030-01-01T02:00:00+02:00', `The X-Timestamp must be a single header, an RFC 3339 time in UTC such as ${NOW}.`],
  ])('are told what is wrong with the time %s, and what the server has', async (timestamp, message) => {
    expect(await messageOf(having('x-timestamp', timestamp))).toBe(message);
  });

  it.each<[string, (request: TestRequest) => void, string]>([
    [
      'a missing time',
      ({ headers }) => delete headers['x-timestamp'],
      `The X-Timestamp is missing: send when the request was signed, as RFC 3339 in UTC, such as ${NOW}.`,
    ],
    [
      'a missing signature',
      ({ headers }) => delete headers['x-signature'],
      'The X-Signature is missing: a request with an X-Timestamp has to be signed, as /docs#signing-requests shows.',
    ],
    ['an empty signature', ({ headers }) => (headers['x-signature'] = ''), SPELLING],
    ['base64', ({ headers }) => (headers['x-signature'] = 'sha256=MTIzNDU2Nzg5MA=='), SPELLING],
    ['upper case', ({ headers }) => (headers['x-signature'] = headers['x-signature']!.toUpperCase()), SPELLING],
    ['another secret', (request) => void sign(request, 'cfs_other'), WRONG],
    ['another body', (request) => (request.payload = `${String(request.payload)} `), WRONG],
  ])('are told of %s in its own words', async (_name, change, message) => {
    const request = createRequest();
    change(request);
    expect(await messageOf(request)).toBe(message);
  });

  it.each([
    ['none', ''],
    ["a merchant's", `Bearer ${MERCHANT_TOKEN}`],
    ['an unknown one', 'Bearer x'],
  ])("names the operator's token where that is asked for, in the same words for %s", async (_name, authorization) => {
    const answer = await http.app.inject({ ...getRequest('/admin/v1/projections'), headers: { authorization } });
    expect([answer.statusCode, answer.json().error.code, answer.json().error.message]).toEqual([
      401,
      'UNAUTHENTICATED',
      "Send the operator's token as Authorization: Bearer <token>. A merchant's access token does not open what begins with /admin.",
    ]);
  });
});
