/** Where a command writes: whole lines, and on a terminal one line that is written over. */
export class Output {
  private shown = false;

  constructor(private readonly stream: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>) {}

  get isTerminal(): boolean {
    return this.stream.isTTY === true;
  }

  /** Of a terminal; 80 elsewhere. */
  get columns(): number {
    return this.stream.columns || 80;
  }

  line(text: string): void {
    this.stream.write(`${this.shown ? '\r\x1b[2K' : ''}${text}\n`);
    this.shown = false;
  }

  /** On a terminal alone: takes the place of what was written so before; the next line takes its own. */
  transient(text: string): void {
    this.stream.write(`\r\x1b[2K${text}`);
    this.shown = true;
  }
}
