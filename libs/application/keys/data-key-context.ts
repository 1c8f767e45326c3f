/** Where a wrapped data key belongs: the place that its seal covers. */
export function dataKeyContext(dataKeyId: string): string {
  return `data-key:${dataKeyId}`;
}
