/** So much may wait for whoever takes the log, in characters; lines that come while it is full are dropped. */
const BACKLOG = 2 * 1024 * 1024;
/** How long the end of the process waits for it, in milliseconds. */
const PATIENCE_MS = 1000;

/**
 * Standard output, as the log uses it. Whoever collects it may be slow, hang, or have gone, and a disk may be full: none
 * of that may hold up answers, fill the memory, or keep the process from ending. Lines are lost instead.
 */
export class LogOutput {
  private dropped = 0;

  /** @param tell told how many lines were dropped, when there is room again */
  constructor(
    private readonly tell: (dropped: number) => void,
    private readonly stream: NodeJS.WriteStream = process.stdout,
  ) {
    stream.on('error', () => undefined);
  }

  /** Whether it shows colours. */
  get hasColors(): boolean {
    // A pipe or a file does not know the question.
    return this.stream.hasColors?.() ?? false;
  }

  /** @param line with its end */
  write(line: string): void {
    const { writableLength: waiting } = this.stream;
    // Once it was full it has to be empty again: or else there would be a gap in every few lines.
    if (waiting > BACKLOG || (this.dropped && waiting)) return void this.dropped++;
    this.tellDropped();
    this.stream.write(line);
  }

  /** Resolves when everything was taken, or after a while. */
  async flush(): Promise<void> {
    this.tellDropped();
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
      // Called when all that came before was taken, or failed.
      this.stream.write('', () => resolve());
    });
    clearTimeout(timer);
  }

  private tellDropped(): void {
    const { dropped } = this;
    this.dropped = 0;
    if (dropped) this.tell(dropped);
  }
}
