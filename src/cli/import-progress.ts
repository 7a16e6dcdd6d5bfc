import { Presets, SingleBar } from 'cli-progress';
import { visible } from '../import/excerpt.js';
import type { ImportProgress } from '../import/import-summary.js';
import type { Output } from './output.js';

/** Interval between the lines about one long file, if the output is not a terminal. */
const LINE_EVERY_MS = 10_000;
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Shows the progress of an import: a bar on a terminal, otherwise one line for each table and more for a long one. */
export class ImportProgressDisplay {
  private readonly bar?: SingleBar;
  private current?: ImportProgress;
  private startedAt = 0;
  private saidAt = 0;

  constructor(private readonly output: Output['stderr']) {
    if (!output.isTTY) return;
    const format = '{table} {bar} {percentage}% | {rows} rows | {rate} rows/s | {left} left';
    // Draw on every update: statements of the embedded database block the process, so the timer of the bar does not
    // fire.
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

  /** Shows the cursor again, which the bar hides, and then sends the signal again so that it has its usual effect. */
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
