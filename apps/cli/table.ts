export interface Column {
  readonly title: string;
  readonly align?: 'right';
}

/** Aligned columns, two spaces apart; without trailing spaces. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): readonly string[] {
  const all = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_column, index) => Math.max(...all.map((row) => row[index]?.length ?? 0)));
  const cell = (text: string, index: number): string =>
    columns[index]?.align === 'right' ? text.padStart(widths[index] ?? 0) : text.padEnd(widths[index] ?? 0);
  return all.map((row) => row.map(cell).join('  ').trimEnd());
}

/** With commas as thousands separators. */
export function grouped(number: number | string): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Rounded down, in the two largest units. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
}

/** One name and value per line. */
export function fields(entries: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

/** A table whose first line is its header, with a hint if there are more items; `none` if it is empty. */
export function listing(none: string, lines: readonly string[], hasMore: boolean): string {
  if (lines.length <= 1) return none;
  return [...lines, ...(hasMore ? ['', 'There are more: give a greater --limit.'] : [])].join('\n');
}
