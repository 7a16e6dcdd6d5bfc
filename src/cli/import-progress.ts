import { Presets, SingleBar } from 'cli-progress';
import { visible } from '../import/excerpt.js';
import type { ImportProgress } from '../import/import-summary.js';
import type { Output } from './output.js';

/** Without a terminal: time between two lines about the same table, in milliseconds. */
const LINE_EVERY_MS = 10_000;
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Shows the progress of an import: a bar on a terminal, else a line every 10 s and for each finished table. */
export class ImportProgressDisplay {
  private readonly bar?: SingleBar;
  private current?: ImportProgress;
  private startedAt = 0;
  private lastLineAt = 0;

  constructor(private readonly output: Output['stderr']) {
    if (!output.isTTY) return;
    const format = '{table} {bar} {percentage}% | {rows} rows | {rate} rows/s | {left} left';
    // The bar draws synchronously, because statements of the embedded database block its timer.
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
    if (!this.bar && performance.now() - this.lastLineAt >= LINE_EVERY_MS) this.printLine(progress, 'so far');
  }

  end(): void {
    for (const signal of ENDING_SIGNALS) process.removeListener(signal, this.endOnSignal);
    this.bar?.stop();
    if (this.current && !this.bar) this.printLine(this.current, 'read');
    this.current = undefined;
  }

  private begin(progress: ImportProgress): void {
    this.end();
    this.startedAt = this.lastLineAt = performance.now();
    if (this.bar) for (const signal of ENDING_SIGNALS) process.once(signal, this.endOnSignal);
    this.bar?.start(progress.size, 0, this.figures(progress));
  }

  /** Restores the cursor that the bar hides. Then the signal has its usual effect. */
  private readonly endOnSignal = (signal: NodeJS.Signals) => {
    this.end();
    process.kill(process.pid, signal);
  };

  private printLine({ file, table, rows }: ImportProgress, how: string): void {
    this.lastLineAt = performance.now();
    const seconds = (this.lastLineAt - this.startedAt) / 1000;
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
