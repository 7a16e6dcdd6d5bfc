import { ImportProgressDisplay } from './import-progress.js';

const SIZE = 4000;
/** Returns the progress after this many of the 2000 rows in the file of stock were read. */
const stock = (rows: number) => ({ file: 'stock.csv', table: 'stock', rows, bytes: (rows * SIZE) / 2000, size: SIZE });
const prices = (rows: number) => ({ ...stock(rows), file: 'prices.csv', table: 'prices' });

// Statements of the embedded database block the process, so no timer runs while time passes.
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void jest.useRealTimers());

const ESCAPE = '\u001B';

/** A wide terminal that records its current line and all earlier ones. */
class FakeTerminal {
  readonly isTTY = true;
  readonly columns = 200;
  /** The line that is visible now. */
  line = '';
  /** All lines that were visible at some time. */
  readonly seen: string[] = [];
  cursorHidden = false;
  private column = 0;

  write(text: string): boolean {
    const [printed = '', ...sequences] = text.split(ESCAPE);
    this.print(printed);
    for (const sequence of sequences) {
      const [control = ''] = /^(\[[?\d;]*[A-Za-z]|\d)/.exec(sequence) ?? [];
      this.control(control);
      this.print(sequence.slice(control.length));
    }
    this.seen.push(this.line.trimEnd());
    return true;
  }

  private print(text: string): void {
    this.line = this.line.padEnd(this.column).slice(0, this.column) + text + this.line.slice(this.column + text.length);
    this.column += text.length;
  }

  private control(sequence: string): void {
    if (sequence.startsWith('[?25')) this.cursorHidden = sequence === '[?25l';
    else if (sequence.endsWith('G')) this.column = Number(sequence.slice(1, -1)) - 1;
    else if (sequence === '[0K') this.line = this.line.slice(0, this.column);
    else if (sequence === '[2K') this.line = '';
    // Ignores line wrapping, and saving and restoring the cursor.
    else if (!['[?7h', '[?7l', '7', '8'].includes(sequence)) throw new Error(`unexpected ${JSON.stringify(sequence)}`);
  }
}

describe('on a terminal', () => {
  let terminal: FakeTerminal;
  let display: ImportProgressDisplay;
  beforeEach(() => {
    terminal = new FakeTerminal();
    display = new ImportProgressDisplay(terminal);
  });
  afterEach(() => display.end());

  test('the bar shows the table, the share that is read, rows per second and the time left', () => {
    display.show(stock(0));
    jest.advanceTimersByTime(2000);
    display.show(stock(500));
    expect(terminal.line).toMatch(/^stock +█{10}░{30} 25% \| 500 rows \| 250 rows\/s \| 6 s left$/);
    jest.advanceTimersByTime(2000);
    display.show(stock(1000));
    expect(terminal.line).toMatch(/^stock +█{20}░{20} 50% \| 1000 rows \| 250 rows\/s \| 4 s left$/);
  });

  test('the bar is removed at the end, and nothing else is printed', () => {
    display.show(stock(0));
    display.show(stock(2000));
    expect(terminal.cursorHidden).toBe(true);
    display.end();
    expect(terminal).toMatchObject({ line: '', cursorHidden: false });
    expect(terminal.seen.filter((line) => line && !line.startsWith('stock '))).toEqual([]);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s restores the cursor and ends the process', (signal) => {
    const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
    display.show(stock(0));
    display.show(prices(0));
    process.emit(signal, signal);
    expect(terminal).toMatchObject({ line: '', cursorHidden: false });
    // The listener is removed, so a second signal of this kind ends the process.
    expect([kill.mock.calls, process.listenerCount(signal)]).toEqual([[[process.pid, signal]], 0]);
    kill.mockRestore();
  });

  test('each table has a separate bar with a separate time', () => {
    display.show(stock(0));
    jest.advanceTimersByTime(60_000);
    display.show(stock(2000));
    display.show(prices(0));
    jest.advanceTimersByTime(1000);
    display.show(prices(400));
    expect(terminal.line).toMatch(/^prices +█{8}░{32} 20% \| 400 rows \| 400 rows\/s \| 4 s left$/);
    display.end();
    expect(terminal.line).toBe('');
  });

  test('the bar stops at 100 % if the file grows while it is read', () => {
    display.show(stock(0));
    jest.advanceTimersByTime(1000);
    display.show({ ...stock(2000), bytes: SIZE * 3 });
    expect(terminal.line).toMatch(/^stock +█{40} 100% \| 2000 rows \| 2000 rows\/s \| 0 s left$/);
  });

  test('the bar of an empty file shows 0 rows and an unknown time left', () => {
    const empty = { ...stock(0), size: 0 };
    display.show(empty);
    jest.advanceTimersByTime(1000);
    display.show(empty);
    expect(terminal.line).toMatch(/^stock +[█░]{40} \d+% \| 0 rows \| 0 rows\/s \| \? left$/);
  });

  test('end() without a preceding show() prints nothing', () => {
    display.end();
    expect(terminal.seen.filter(Boolean)).toEqual([]);
  });
});

describe('without a terminal', () => {
  let text: string;
  let display: ImportProgressDisplay;
  beforeEach(() => {
    text = '';
    display = new ImportProgressDisplay({ write: (more) => (text += more) });
  });

  test('a line reports each table that is read', () => {
    display.show(stock(0));
    jest.advanceTimersByTime(1240);
    display.show(stock(499));
    expect(text).toBe('');
    display.show(prices(0));
    expect(text).toBe('stock.csv: 499 rows of stock read, 1.2 s\n');
    jest.advanceTimersByTime(60);
    display.show(prices(7));
    display.end();
    display.end();
    expect(text).toBe('stock.csv: 499 rows of stock read, 1.2 s\nprices.csv: 7 rows of prices read, 0.1 s\n');
  });

  test('a line every ten seconds reports a table that takes long', () => {
    for (let rows = 0; rows < 25; rows++) {
      display.show(stock(rows));
      jest.advanceTimersByTime(1000);
    }
    display.end();
    expect(text.split('\n')).toEqual([
      'stock.csv: 10 rows of stock so far, 10.0 s',
      'stock.csv: 20 rows of stock so far, 20.0 s',
      'stock.csv: 24 rows of stock read, 25.0 s',
      '',
    ]);
  });
});
