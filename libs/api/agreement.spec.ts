import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import * as fc from 'fast-check';
import { BatchQueryDto } from '@app/payments/http/batch-query.dto';
import { CreatePaymentDto } from '@app/payments/http/create-payment.dto';
import { CreateRefundDto } from '@app/payments/http/create-refund.dto';
import { RegisterAuditorDto } from '@app/auditors/http/register-auditor.dto';
import { IssueTokenDto } from '@app/merchants/http/issue-token.dto';
import { MerchantSettingsDto } from '@app/merchants/http/merchant-settings.dto';
import { RegisterMerchantDto } from '@app/merchants/http/register-merchant.dto';
import { SuspensionDto } from '@app/merchants/http/suspension.dto';
import { SkipProjectionEventDto } from '@app/projections/http/skip-projection-event.dto';
import { RedeliverDto } from '@app/webhooks/http/webhook-deliveries.dto';
import { type Body, judges, payment } from './testing/bodies';

/** Every path in a value, as a list of keys. */
function places(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, member]) => places(member, [...path, key]))];
}

function edited(body: Body, path: readonly string[], edit: (parent: Body, key: string) => void): Body {
  let parent = body;
  for (const key of path.slice(0, -1)) parent = parent[key];
  edit(parent, path.at(-1)!);
  return body;
}

describe('class-validator and the compiled schema', () => {
  // class-validator accepts these as declared fields, because it looks fields up in a plain object.
  const inherited = Object.getOwnPropertyNames(Object.prototype);
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 90 }),
    fc.string({ maxLength: 1200 }),
    fc.constantFrom(
      '12.50',
      '0',
      '1e3',
      'EUR',
      'eur',
      '01',
      '13',
      '2031',
      '123',
      'credit_card',
      'MANUAL',
      'payments:read',
      'EXHAUSTED',
      '2031-02-28T00:00:00.5Z',
      '2031-02-30T00:00:00Z',
      '4111111111111111',
    ),
    fc.constantFrom(
      'https://x.example/',
      'ftp://x.example',
      'http://',
      'javascript:1',
      'https://a..b.com/',
      `https://${'a'.repeat(64)}.example/`,
      ' ',
      '\u200b\u00a0',
      '2031-02-28T02:00:00+02:00',
      '::1',
      '1.2.3.4',
      '️'.repeat(81),
    ),
    fc.constantFrom(80, 81, 255, 256, 500, 501, 1000, 1001, 2048).map((length) => '😀'.repeat(length)),
  );
  const value = fc.oneof(
    text,
    fc.constantFrom(null, true, 0, 1, -1, 1.5, 1e6, 1e6 + 1, 1e300, [], {}, [[]], [null], [{}], ['x'], {
      value: '1',
      currency: 'EUR',
    }),
    fc.constantFrom(100, 101).map((length) => Array(length).fill({})),
    fc.dictionary(
      text.filter((key) => !inherited.includes(key)),
      fc.oneof(text, fc.integer()),
      { maxKeys: 3 },
    ),
    fc.constantFrom(50, 51).map((size) => Object.fromEntries(Array.from({ length: size }, (_, n) => [`k${n}`, 'v']))),
  );
  const edit = fc.record({
    where: fc.nat(),
    kind: fc.constantFrom('replace' as const, 'replace' as const, 'remove' as const, 'add' as const),
    key: fc.string({ minLength: 1, maxLength: 8 }).filter((key) => !inherited.includes(key)),
    value,
  });

  function apply(body: Body, edits: readonly { where: number; kind: string; key: string; value: unknown }[]): Body {
    for (const { where, kind, key, value } of edits) {
      const inside = places(body).filter((path) => path.length > 0);
      const path = inside[where % inside.length];
      if (path === undefined) continue;
      edited(body, path, (parent, name) => {
        if (kind === 'replace') parent[name] = structuredClone(value);
        else if (kind === 'remove' && !Array.isArray(parent)) Reflect.deleteProperty(parent, name);
        else if (kind === 'add' && !Array.isArray(parent)) parent[key] = structuredClone(value);
      });
    }
    return body;
  }

  const bodies: readonly [keyof typeof judges, new () => object, () => Body][] = [
    ['payment', CreatePaymentDto, payment],
    [
      'refund',
      CreateRefundDto,
      () => ({
        amount: { value: '1.00', currency: 'EUR' },
        reason: 'r',
        referenceId: 'x',
        notifyUrl: 'https://x.example/',
      }),
    ],
    ['batch', BatchQueryDto, () => ({ paymentIds: ['a', 'b'] })],
    ['merchant', RegisterMerchantDto, () => ({ merchantId: 'm', name: 'Shop' })],
    [
      'settings',
      MerchantSettingsDto,
      () => ({
        name: 'Shop',
        requireSignatures: true,
        rotationGraceSeconds: 100,
        feeSchedule: { basisPoints: 100, fixed: [{ value: '0.30', currency: 'EUR' }] },
      }),
    ],
    ['suspension', SuspensionDto, () => ({ reason: 'r' })],
    [
      'token',
      IssueTokenDto,
      () => ({ name: 'till-3', scopes: ['payments:read', 'payments:write'], expiresAt: '2031-01-01T00:00:00Z' }),
    ],
    ['auditor', RegisterAuditorDto, () => ({ name: 'Prüfer & Co', expiresAt: '2031-01-01T00:00:00Z' })],
    [
      'redeliver',
      RedeliverDto,
      () => ({ merchantId: 'm', from: '2031-01-01T00:00:00Z', to: '2031-01-02T00:00:00Z', status: 'PENDING' }),
    ],
    ['skip', SkipProjectionEventDto, () => ({ position: '12', reason: 'written by hand' })],
  ];

  it.each(bodies)('judge a %s alike', (judge, type, valid) => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 3 }), (edits) => {
        const body = apply(valid(), edits);
        const takenBySchema = 'value' in judges[judge](body);
        const options = { whitelist: true, forbidNonWhitelisted: true };
        const takenByClass = validateSync(plainToInstance(type, structuredClone(body)), options).length === 0;
        expect(takenBySchema).toBe(takenByClass);
        if (takenBySchema) accepted += 1;
      }),
      { numRuns: 400 },
    );
    expect(accepted).toBeGreaterThan(20);
  });
});
