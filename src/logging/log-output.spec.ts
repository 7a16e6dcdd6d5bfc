import { Writable } from 'node:stream';
import { LogOutput } from './log-output.js';

/** A standard output that accepts nothing until it is released. */
class BlockedOutput extends Writable {
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

let blocked: BlockedOutput;
let output: LogOutput;
beforeEach(() => {
  blocked = new BlockedOutput();
  output = new LogOutput((dropped) => output.write(`${dropped} dropped\n`), blocked as unknown as NodeJS.WriteStream);
});
afterEach(() => void jest.useRealTimers());

test('drops lines beyond a backlog of 2 MB and reports their number once there is room (decision 84)', async () => {
  for (let count = 0; count < 5000; count++) {
    output.write(LINE);
    // Lines wait in the stream, and the last ones before they are written to it.
    if (count % 1000 === 0) output.release();
  }
  output.release();
  await blocked.release();
  output.write('after\n');
  await output.flush();
  const lines = blocked.taken.join('').split('\n');
  const kept = lines.filter((line) => line.startsWith('x')).length;
  expect(kept * LINE.length).toBeGreaterThan(2_000_000);
  expect(kept * LINE.length).toBeLessThan(2_200_000);
  expect(lines.slice(kept)).toEqual([`${5000 - kept} dropped`, 'after', '']);
});

test('flush() waits until the output has accepted all lines, but no longer than a second', async () => {
  jest.useFakeTimers();
  output.write(LINE);
  const ended = jest.fn();
  const flushed = output.flush().then(ended);
  await jest.advanceTimersByTimeAsync(900);
  expect(ended).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(200);
  await flushed;
  expect(blocked.taken).toEqual([]);
});

test('continues after an error of the output', async () => {
  blocked.emit('error', new Error('ENOSPC'));
  output.write('after\n');
  output.release();
  await blocked.release();
  expect(blocked.taken.join('')).toBe('after\n');
});

test('collects lines for 10 ms and writes them together', async () => {
  jest.useFakeTimers();
  const writes: string[] = [];
  const stream = new Writable({ decodeStrings: false, write: (text, _encoding, done) => done(void writes.push(text)) });
  output = new LogOutput(() => undefined, stream as NodeJS.WriteStream);
  output.write('1\n');
  await jest.advanceTimersByTimeAsync(9);
  output.write('2\n');
  output.write('3\n');
  expect(writes).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(writes).toEqual(['1\n2\n3\n']);
  output.write('last\n');
  output.release();
  expect(writes).toEqual(['1\n2\n3\n', 'last\n']);
});
