import type { KeyIntroduction, Seal } from '@app/audit/domain';

type Fields = Readonly<Record<string, unknown>>;

/** The seal in an event's data; null if it is not one. Whoever wrote it. */
export function sealIn(data: string): Seal | null {
  const seal = objectIn(data);
  if (seal === null) return null;
  const { size, root, lastLeaf, position, peaks, streamEnds, refused, previousSeal, keyId, sealedAt, signature } = seal;
  const isSeal =
    isCount(size) &&
    isHash(root) &&
    isLeaf(lastLeaf) &&
    isList(peaks, isHash) &&
    isList(streamEnds, isLeaf) &&
    isList(refused, isPlace) &&
    [position, previousSeal, keyId, sealedAt, signature].every(isText);
  return isSeal ? (seal as unknown as Seal) : null;
}

/** The introduction of a key in an event's data; null if it is not one. */
export function introductionIn(data: string): KeyIntroduction | null {
  const read = objectIn(data);
  if (read === null) return null;
  const { keyId, publicKey, previousKeyId, previousSeal, introducedAt, signature, previousSignature } = read;
  const isOne =
    [keyId, publicKey, previousSeal, introducedAt, signature].every(isText) &&
    [previousKeyId, previousSignature].every((value) => value === null || isText(value));
  return isOne ? (read as unknown as KeyIntroduction) : null;
}

function objectIn(data: string): Fields | null {
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isText = (value: unknown) => typeof value === 'string';
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isHash = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isPlace = (value: unknown) => isObject(value) && isText(value['streamId']) && isCount(value['revision']);
const isLeaf = (value: unknown) => isPlace(value) && isText((value as Fields)['hash']);
const isList = (value: unknown, isOne: (item: unknown) => boolean) => Array.isArray(value) && value.every(isOne);
