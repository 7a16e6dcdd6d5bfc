import type { TermsChange, TermsLog } from '../audit/terms-log.js';
import type { WriteSession } from '../database/engine.js';
import type { Query } from '../database/query.js';
import { compareTerms, needsComparison, type PriceTerms } from '../guard/terms-comparison.js';
import { decimalText } from '../resource/decimal-text.js';
import type { CheckedRow, RowWatch } from './row-watch.js';
import type { ReportProblem, TableSource } from './source/table-source.js';
import type { RowValues } from './cell.js';

const LOOKUP_BATCH = 500;

/** The states of the database before and after the import. */
export interface States {
  before: Query;
  after: WriteSession;
}

/**
 * Records each change of a price list or customer, and collects changes that affect all prices of a list or customer.
 */
abstract class RecordingWatch implements RowWatch {
  protected readonly names: readonly string[];

  constructor(
    protected readonly source: TableSource,
    private readonly log: TermsLog,
    private readonly subject: TermsChange['subject'],
    private readonly key: string,
  ) {
    this.names = source.columns.map(({ name }) => name);
  }

  async observe(rows: readonly CheckedRow[], stored: ReadonlyMap<string, RowValues> | undefined): Promise<void> {
    const changes = rows.map(({ key, values, line }) => {
      const before = stored?.get(key);
      if (before) this.note(line, key, before, values);
      return {
        subject: this.subject,
        code: key,
        before: before ? this.named(before) : null,
        after: this.named(values),
      };
    });
    await this.log.record(changes);
  }

  protected abstract note(line: number, code: string, before: RowValues, after: RowValues): void;

  protected differs(column: string, before: RowValues, after: RowValues): boolean {
    const position = this.names.indexOf(column);
    return position >= 0 && before[position] !== after[position];
  }

  protected labelOf(column: string): string {
    const declared = this.source.columns.find(({ name }) => name === column);
    return declared ? this.source.label(declared) : '';
  }

  private named(values: RowValues): Record<string, unknown> {
    const pairs = this.names.map((name, position) => [name, values[position]] as const);
    return Object.fromEntries(pairs.filter(([name]) => name !== this.key));
  }
}

/** Watches `price_lists`. A new currency changes every price of the list. */
export class PriceListWatch extends RecordingWatch {
  /** Lists whose currency changes, and their lines. */
  private readonly moved = new Map<string, number>();

  constructor(source: TableSource, log: TermsLog) {
    super(source, log, 'price_list', 'PriceListCode');
  }

  async check({ before, after }: States, report: ReportProblem): Promise<void> {
    for (const [code, line] of this.moved) {
      const terms = { PriceListCode: code, DiscountPercentage: '0' };
      const tally = await compareTerms({ query: before, terms }, { query: after.query, terms });
      const problem = tally.problem(`prices of list ${code}`);
      if (problem) report(line, this.labelOf('CurrencyCode'), problem);
    }
  }

  protected note(line: number, code: string, before: RowValues, after: RowValues): void {
    if (this.differs('CurrencyCode', before, after)) this.moved.set(code, line);
  }
}

/** The same change of terms for one or more customers. */
interface Move {
  before: PriceTerms;
  after: PriceTerms;
  line: number;
  customers: string[];
}

/** Watches `customers`. Another price list or discount changes every price of the customer. */
export class CustomerWatch extends RecordingWatch {
  /** Customers whose price list or discount changes, and their lines. */
  private readonly moved = new Map<string, number>();

  constructor(source: TableSource, log: TermsLog) {
    super(source, log, 'customer', 'CustomerCode');
  }

  async check(states: States, report: ReportProblem): Promise<void> {
    const moves = new Map<string, Move>();
    const codes = [...this.moved.keys()];
    for (let start = 0; start < codes.length; start += LOOKUP_BATCH)
      await this.collect(codes.slice(start, start + LOOKUP_BATCH), states, moves);
    for (const { before, after, line, customers } of moves.values()) {
      const sides = [
        { query: states.before, terms: before },
        { query: states.after.query, terms: after },
      ] as const;
      const [first, ...others] = customers;
      const subject = others.length ? `${first} and of ${others.length} more customers` : first;
      const problem = (await compareTerms(...sides)).problem(`net prices of customer ${subject}`);
      if (problem) report(line, this.labelOf('PriceListCode') || this.labelOf('DiscountPercentage'), problem);
    }
  }

  protected note(line: number, code: string, before: RowValues, after: RowValues): void {
    if (this.differs('PriceListCode', before, after) || this.differs('DiscountPercentage', before, after))
      this.moved.set(code, line);
  }

  private async collect(codes: readonly string[], { before, after }: States, moves: Map<string, Move>): Promise<void> {
    const [olds, news] = [await termsOf(before, codes), await termsOf(after.query, codes)];
    for (const code of codes) {
      const [one, other] = [olds.get(code), news.get(code)];
      if (!one || !other || !needsComparison(one, other)) continue;
      const same = JSON.stringify([one, other]);
      const move = moves.get(same) ?? { before: one, after: other, line: this.moved.get(code)!, customers: [] };
      move.customers.push(code);
      moves.set(same, move);
    }
  }
}

async function termsOf(query: Query, codes: readonly string[]): Promise<Map<string, PriceTerms>> {
  const sql = `SELECT CustomerCode, PriceListCode, DiscountPercentage FROM customers
    WHERE CustomerCode IN (${codes.map(() => '?').join()})`;
  const rows = await query(sql, codes);
  return new Map(
    rows.map(({ CustomerCode, PriceListCode, DiscountPercentage }) => [
      String(CustomerCode),
      {
        PriceListCode: PriceListCode as string | null,
        DiscountPercentage: decimalText(String(DiscountPercentage)),
      },
    ]),
  );
}
