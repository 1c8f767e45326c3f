/** What an auditor keeps of a verification, so that the next one finds a history that was rewritten. */
export interface TrustedHead {
  readonly format: 'counterfoil-trusted-head-1';
  readonly size: number;
  readonly root: string;
  readonly sealedAt: string;
  /** The key of its seal, raw, base64. */
  readonly publicKey: string;
}

export const HEAD_FORMAT = 'counterfoil-trusted-head-1';

/** Null if the text is no such file. */
export function readTrustedHead(text: string): TrustedHead | null {
  let head: Partial<TrustedHead> | null;
  try {
    head = JSON.parse(text) as Partial<TrustedHead> | null;
  } catch {
    return null;
  }
  if (head?.format !== HEAD_FORMAT) return null;
  const { size, root, sealedAt, publicKey } = head;
  const isWhole = Number.isSafeInteger(size) && [root, sealedAt, publicKey].every((value) => typeof value === 'string');
  return isWhole ? (head as TrustedHead) : null;
}
