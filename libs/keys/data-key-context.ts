/** Where a wrapped data key belongs: part of what its tag covers. */
export function dataKeyContext(dataKeyId: string): string {
  return `data-key:${dataKeyId}`;
}
