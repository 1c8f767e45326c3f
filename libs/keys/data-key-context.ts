/** The context of an encrypted data key, which its authentication tag covers. */
export function dataKeyContext(dataKeyId: string): string {
  return `data-key:${dataKeyId}`;
}
