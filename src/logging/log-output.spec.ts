import { Writable } from 'node:stream';
import { LogOutput } from './log-output.js';

/** A standard output that takes nothing until it is told to. */
class Stuck extends Writable {
  readonly taken: string[] = [];
  private free = false;
  private next?: () => void;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const take = () => {
      this.taken.push(chunk.toString());
      done();
    };
    if (this.free) take();
    else this.next = take;
  }

  release(): Promise<void> {
    this.free = true;
    this.next?.();
    return new Promise((resolve) => this.write('', () => resolve()));
  }
}

const LINE = `${'x'.repeat(1023)}\n`;

let stuck: Stuck;
let output: LogOutput;
beforeEach(() => {
  stuck = new Stuck();
  output = new LogOutput((dropped) => output.write(`${dropped} dropped\n`), stuck as unknown as NodeJS.WriteStream);
});
afterEach(() => void jest.useRealTimers());

test('what nobody takes is dropped from 2 MB on, and counted when there is room again (decision 84)', async () => {
  for (let count = 0; count < 5000; count++) output.write(LINE);
  await stuck.release();
  output.write('after\n');
  await output.flush();
  const lines = stuck.taken.join('').split('\n');
  const kept = lines.filter((line) => line.startsWith('x')).length;
  expect(kept * LINE.length).toBeGreaterThan(2_000_000);
  expect(kept * LINE.length).toBeLessThan(2_200_000);
  expect(lines.slice(kept)).toEqual([`${5000 - kept} dropped`, 'after', '']);
});

test('the end waits until all is taken, but for no longer than a second', async () => {
  jest.useFakeTimers();
  output.write(LINE);
  const ended = jest.fn();
  const flushed = output.flush().then(ended);
  await jest.advanceTimersByTimeAsync(900);
  expect(ended).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(200);
  await flushed;
  expect(stuck.taken).toEqual([]);
});

test('an error of it ends neither the process nor the log', async () => {
  stuck.emit('error', new Error('ENOSPC'));
  output.write('after\n');
  await stuck.release();
  expect(stuck.taken.join('')).toBe('after\n');
});
