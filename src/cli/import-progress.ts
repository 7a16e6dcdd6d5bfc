import { Presets, SingleBar } from 'cli-progress';
import { visible } from '../import/excerpt.js';
import type { ImportProgress } from '../import/import-summary.js';
import type { Output } from './output.js';

/** How often a log that is no terminal hears of a file that takes long, in milliseconds. */
const LINE_EVERY_MS = 10_000;
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Shows how far an import is: a bar on a terminal, else a line now and then and for each table that is done. */
export class ImportProgressDisplay {
  private readonly bar?: SingleBar;
  private current?: ImportProgress;
  private startedAt = 0;
  private saidAt = 0;

  constructor(private readonly output: Output['stderr']) {
    if (!output.isTTY) return;
    const format = '{table} {bar} {percentage}% | {rows} rows | {rate} rows/s | {left} left';
    // Statements of the embedded database leave no time for the timer of the bar.
    const options = {
      format,
      stream: output as NodeJS.WritableStream,
      hideCursor: true,
      clearOnComplete: true,
      synchronousUpdate: true,
      forceRedraw: true,
    };
    this.bar = new SingleBar(options, Presets.shades_classic);
  }

  show(progress: ImportProgress): void {
    if (progress.table !== this.current?.table) this.begin(progress);
    this.current = progress;
    this.bar?.update(Math.min(progress.bytes, progress.size), this.figures(progress));
    if (!this.bar && performance.now() - this.saidAt >= LINE_EVERY_MS) this.say(progress, 'so far');
  }

  end(): void {
    for (const signal of ENDING_SIGNALS) process.removeListener(signal, this.endBy);
    this.bar?.stop();
    if (this.current && !this.bar) this.say(this.current, 'read');
    this.current = undefined;
  }

  private begin(progress: ImportProgress): void {
    this.end();
    this.startedAt = this.saidAt = performance.now();
    if (this.bar) for (const signal of ENDING_SIGNALS) process.once(signal, this.endBy);
    this.bar?.start(progress.size, 0, this.figures(progress));
  }

  /** The bar hides the cursor, which has to come back; then the signal does what it does without a bar. */
  private readonly endBy = (signal: NodeJS.Signals) => {
    this.end();
    process.kill(process.pid, signal);
  };

  private say({ file, table, rows }: ImportProgress, how: string): void {
    this.saidAt = performance.now();
    const seconds = (this.saidAt - this.startedAt) / 1000;
    this.output.write(`${visible(file)}: ${rows} rows of ${table} ${how}, ${seconds.toFixed(1)} s\n`);
  }

  private figures({ table, rows, bytes, size }: ImportProgress): Record<string, string> {
    const seconds = Math.max((performance.now() - this.startedAt) / 1000, 0.001);
    const left = bytes ? (seconds * (size - bytes)) / bytes : undefined;
    return {
      table: table.padEnd(21),
      rows: String(rows),
      rate: String(Math.round(rows / seconds)),
      left: left === undefined ? '?' : `${Math.ceil(left)} s`,
    };
  }
}
