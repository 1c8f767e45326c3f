/** A line of a table: the first cell from the left, the others from the right. */
export function rowOf(widths, cells) {
  return cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[index]))).join('');
}
