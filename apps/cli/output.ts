/** Writes whole lines and, on a terminal, one transient line that is overwritten. */
export class Output {
  private shown = false;

  constructor(private readonly stream: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>) {}

  get isTerminal(): boolean {
    return this.stream.isTTY === true;
  }

  /** Of the terminal; 80 if there is none. */
  get columns(): number {
    return this.stream.columns || 80;
  }

  line(text: string): void {
    this.stream.write(`${this.shown ? '\r\x1b[2K' : ''}${text}\n`);
    this.shown = false;
  }

  /** Only on a terminal: replaces the transient line before it; the next `line` replaces this one. */
  transient(text: string): void {
    this.stream.write(`\r\x1b[2K${text}`);
    this.shown = true;
  }
}
