/** Maximum number of unread characters in the backlog of the log. While the backlog is full, lines are dropped. */
const MAX_BACKLOG = 2 * 1024 * 1024;
/**
 * How long lines are collected for one write, in milliseconds. Each write wakes the process that reads the log. That
 * takes longer than everything else that a line needs.
 */
const COLLECT_MS = 10;
/** How long the end of the process waits for the reader, in milliseconds. */
const FLUSH_TIMEOUT_MS = 1000;

/**
 * Standard output for the log. The process that reads it may be slow, hang, or be gone, and a disk may be full. The log
 * then drops lines, because it must not delay responses, fill the memory, or keep the process from ending.
 */
export class LogOutput {
  private dropped = 0;
  /** The lines since the last write. */
  private collected = '';

  /** @param reportDropped receives the number of dropped lines once there is room again */
  constructor(
    private readonly reportDropped: (dropped: number) => void,
    private readonly stream: NodeJS.WriteStream = process.stdout,
  ) {
    stream.on('error', () => undefined);
  }

  /** Whether the output shows colours. */
  get hasColors(): boolean {
    // A pipe or a file does not have this method.
    return this.stream.hasColors?.() ?? false;
  }

  /** @param line including its line break */
  write(line: string): void {
    const waiting = this.stream.writableLength + this.collected.length;
    // After lines were dropped, the backlog must become empty first. Otherwise there would be many small gaps.
    if (waiting > MAX_BACKLOG || (this.dropped && waiting)) return void this.dropped++;
    this.flushDropped();
    if (!this.collected) setTimeout(() => this.release(), COLLECT_MS);
    this.collected += line;
  }

  /** Writes the collected lines. Call it before the process exits. */
  release(): void {
    const { collected } = this;
    this.collected = '';
    if (collected) this.stream.write(collected);
  }

  /** Resolves when everything is written, or after {@link FLUSH_TIMEOUT_MS}. */
  async flush(): Promise<void> {
    this.flushDropped();
    this.release();
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FLUSH_TIMEOUT_MS);
      // The callback runs when all earlier writes have succeeded or failed.
      this.stream.write('', () => resolve());
    });
    clearTimeout(timer);
  }

  private flushDropped(): void {
    const { dropped } = this;
    this.dropped = 0;
    if (dropped) this.reportDropped(dropped);
  }
}
