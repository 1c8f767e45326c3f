/** The text is no CSV, or not the one that was meant. */
export class ReportFormatError extends Error {
  constructor(
    /** Of the row, from 1; the first is the header. */
    readonly row: number,
    why: string,
  ) {
    super(`row ${row}: ${why}`);
    this.name = 'ReportFormatError';
  }
}

const MAX_ROW_CHARACTERS = 65_536;

/** The rows of a CSV text (RFC 4180), which may come in any pieces. @throws ReportFormatError */
export async function* csvRows(
  text: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<readonly string[], void, undefined> {
  let [row, number, length] = [[] as string[], 1, 0];
  let cell = '';
  // `quote`: a quote within quotes, which ends them unless another one follows.
  let state: 'plain' | 'quoted' | 'quote' = 'plain';
  for await (const piece of text) {
    for (const character of piece) {
      length += 1;
      if (length > MAX_ROW_CHARACTERS) throw new ReportFormatError(number, 'it is too long');
      if (state === 'quoted') {
        if (character === '"') state = 'quote';
        else cell += character;
      } else if (character === '"' && (state === 'quote' || cell === '')) {
        if (state === 'quote') cell += character;
        state = 'quoted';
      } else if (character === delimiter || character === '\n') {
        row.push(cell);
        [cell, state] = ['', 'plain'];
        if (character === delimiter) continue;
        yield row;
        [row, length] = [[], 0];
        number += 1;
      } else if (character !== '\r' && character !== '\uFEFF') cell += character;
    }
  }
  if (state === 'quoted') throw new ReportFormatError(number, 'a quote is not closed: the file may be cut off');
  if (row.length > 0 || cell !== '') yield [...row, cell];
}
