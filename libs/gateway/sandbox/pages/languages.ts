import { ar } from './texts/ar';
import { de } from './texts/de';
import { en } from './texts/en';
import { es } from './texts/es';
import { fr } from './texts/fr';
import type { Texts } from './texts/texts';

/** The first one is the fallback. */
const LANGUAGES: readonly Texts[] = [en, de, fr, es, ar];

const RANGE = /^\s*(\*|[A-Za-z]{1,8})(?:-[A-Za-z0-9]{1,8})*\s*(?:;\s*[Qq]\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/;

/**
 * The preferred language of an `Accept-Language` header, by RFC 4647 §3.4: a regional range counts for its language
 * (`de-AT` for German). Among equal weights the first one wins; invalid ranges are ignored.
 */
export function textsFor(acceptLanguage: string | undefined): Texts {
  const ranges = (acceptLanguage ?? '').split(',').flatMap((range, place) => {
    const [, name, weight = '1'] = RANGE.exec(range) ?? [];
    return name === undefined ? [] : [{ name: name.toLowerCase(), weight: Number(weight), place }];
  });
  const wanted = LANGUAGES.flatMap((texts) => {
    const named = ranges.filter(({ name }) => name === texts.language);
    const [best] = (named.length > 0 ? named : ranges.filter(({ name }) => name === '*')).sort(byWish);
    return best === undefined || best.weight === 0 ? [] : [{ ...best, texts }];
  });
  return wanted.sort(byWish)[0]?.texts ?? en;
}

function byWish(a: Wish, b: Wish): number {
  return b.weight - a.weight || a.place - b.place;
}

interface Wish {
  readonly weight: number;
  readonly place: number;
}
