import type { Currency } from '@app/money';

import { writtenAmount } from './amounts';
import { textsFor } from './languages';
import { PagesFixture } from './testing/pages-fixture';

describe('the language of a page', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['de', 'de'],
    ['DE-at', 'de'],
    ['fr-CA, fr;q=0.9, en;q=0.8', 'fr'],
    ['en;q=0.3, es-419;q=0.7', 'es'],
    ['nl, pt-BR;q=0.9, ar;q=0.1', 'ar'],
    ['nl, ja', 'en'],
    ['nl, *;q=0.5', 'en'],
    ['en;q=0, *', 'de'],
    ['de, *;q=0.5', 'de'],
    ['en-GB;q=0.4, *;q=0.5', 'de'],
    ['de;q=0, fr;q=0', 'en'],
    ['es;q=0.5, fr;q=0.5', 'es'],
    ['de;q=0.5,de-CH,fr;q=0.9', 'de'],
    ['zh-Hans-CN ; q = 0.9 , ar-EG ;Q=0.8', 'ar'],
    ['de;q=2, fr;q=x, es;q=0.1', 'es'],
    ['german, deutsch;q=1, fr_FR, es;level=1', 'en'],
    [`${'x,'.repeat(5_000)}fr`, 'fr'],
  ])('is for Accept-Language %j %s', (header, language) => {
    expect(textsFor(header).language).toBe(language);
  });
});

describe('an amount', () => {
  const written = (amountMinor: bigint, currency: string) =>
    Object.fromEntries(
      ['en', 'de', 'fr', 'es', 'ar'].map((language) => [
        language,
        writtenAmount({ amountMinor, currency: currency as Currency }, language),
      ]),
    );

  it('is written as the language has it', () => {
    expect(written(123_450n, 'EUR')).toEqual({
      en: '1,234.50 EUR',
      de: '1.234,50 EUR',
      fr: '1\u202f234,50 EUR',
      es: '1234,50 EUR',
      ar: '1,234.50 EUR',
    });
  });

  it('has the decimals of ISO 4217 and every digit', () => {
    expect(written(12_345n, 'JPY')['en']).toBe('12,345 JPY');
    expect(written(1n, 'KWD')['de']).toBe('0,001 KWD');
    expect(written(500_000n, 'IDR')['en']).toBe('5,000.00 IDR');
    expect(written(9_999_999_999_999_999n, 'CLF')['en']).toBe('999,999,999,999.9999 CLF');
  });
});

describe('the pages speak', () => {
  const pages = new PagesFixture();
  beforeAll(() => pages.start());
  afterAll(() => pages.stop());

  it.each([
    ['en', 'ltr', 'Confirm your payment', 'Payment declined', 'Page not found'],
    ['de', 'ltr', 'Zahlung bestätigen', 'Zahlung abgelehnt', 'Seite nicht gefunden'],
    ['fr', 'ltr', 'Confirmez votre paiement', 'Paiement refusé', 'Page introuvable'],
    ['es', 'ltr', 'Confirme su pago', 'Pago rechazado', 'Página no encontrada'],
    ['ar', 'rtl', 'أكِّد عملية الدفع', 'تم رفض الدفع', 'الصفحة غير موجودة'],
  ])('%s (%s), on both of them and in each state', async (language, direction, confirm, declined, unknown) => {
    const expectSpoken = async (path: string, title: string) => {
      const { headers, body } = await pages.get(path, `${language}-XX, nl;q=0.5`);
      expect(headers).toMatchObject({ 'content-language': language, vary: 'accept-language' });
      expect(body).toContain(`<html lang="${language}" dir="${direction}">`);
      expect(body).toContain(`<title>${title}</title>`);
      expect(body).toContain(`<h1>${title}</h1>`);
    };
    const step = await pages.newStep();
    for (const path of [step.page, step.form]) await expectSpoken(path, confirm);
    await pages.post(step.page, 'decision=decline');
    for (const path of [step.page, step.form]) await expectSpoken(path, declined);
    await expectSpoken('/sandbox/3ds/unknown', unknown);
  });
});
