import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { TermsLog } from '../audit/terms-log.js';
import { DatabaseService } from '../database/database.service.js';
import type { WriteSession } from '../database/engine.js';
import { compareTerms, needsComparison, PriceChangeRefused } from '../guard/terms-comparison.js';
import { decimalText } from '../resource/decimal-text.js';
import { columnsOf } from '../resource/field.decorator.js';
import { timestampText } from '../database/utc-time.js';
import { Customer } from './customer.entity.js';

/** The columns of a customer that an operator may change, with their new values. */
export type CustomerChanges = Partial<Omit<Customer, 'CustomerCode' | 'DeactivatedAt'>>;

/** The columns of a customer whose changes are recorded. */
type Terms = Omit<Customer, 'CustomerCode' | 'DeactivatedAt'>;
const TERMS = [
  ...columnsOf(Customer)
    .map(({ name }) => name)
    .filter((name) => name !== 'CustomerCode'),
  'Active',
];

/** Default values of a new customer. */
const NEW: CustomerChanges = { DiscountPercentage: '0', Active: true };

/** Manages the records of customers. */
@Injectable()
export class CustomersService {
  constructor(
    private readonly database: DatabaseService,
    @InjectRepository(Customer) private readonly customers: Repository<Customer>,
  ) {}

  /** All customers, ordered by code. */
  list(): Promise<Customer[]> {
    return this.customers.find({ order: { CustomerCode: 'ASC' } });
  }

  find(CustomerCode: string): Promise<Customer | null> {
    return this.customers.findOneBy({ CustomerCode });
  }

  /**
   * Creates the customer if no customer has this code, and makes the changes. Other columns are not written, because
   * another command may be changing them. Deactivating a customer also invalidates its tokens permanently.
   * @param allowPriceChanges accept any change of the customer's prices
   * @throws {UnknownReference} if the price list or warehouse does not exist
   * @throws {PriceChangeRefused} if too many prices would change by too much
   */
  async set(CustomerCode: string, changes: CustomerChanges, allowPriceChanges = false): Promise<Customer> {
    await this.assertExists('price list', 'price_lists', 'PriceListCode', changes.PriceListCode);
    await this.assertExists('warehouse', 'warehouses', 'WarehouseCode', changes.WarehouseCode);
    await this.database.change(async (session) => {
      const before = await lockedRow(session, CustomerCode);
      const changed = { ...(before ? {} : NEW), ...changes };
      if (before && !allowPriceChanges) await refusePriceChanges(session, CustomerCode, before, changes);
      await new TermsLog(session).record([
        { subject: 'customer', code: CustomerCode, before, after: { ...before, ...changed } },
      ]);
      const ended = changes.Active === false ? { DeactivatedAt: timestampText(new Date()) } : {};
      await write(session, CustomerCode, { ...changed, ...ended }, !before);
    });
    return this.customers.findOneByOrFail({ CustomerCode });
  }

  /** Deletes the customer and its API keys. @returns false if no customer has this code */
  async delete(CustomerCode: string): Promise<boolean> {
    return this.database.change(async (session) => {
      const before = await lockedRow(session, CustomerCode);
      if (!before) return false;
      await new TermsLog(session).record([{ subject: 'customer', code: CustomerCode, before, after: null }]);
      await session.query('DELETE FROM customers WHERE CustomerCode = ?', [CustomerCode]);
      return true;
    });
  }

  private async assertExists(noun: string, table: string, column: string, code?: string | null): Promise<void> {
    if (!code) return;
    const known = await this.database.query(`SELECT ${column} AS code FROM ${table} ORDER BY ${column}`);
    if (known.some((row) => row.code === code)) return;
    throw new UnknownReference(
      noun,
      code,
      known.map((row) => String(row.code)),
    );
  }
}

/** Reads the terms of a customer, in the notation of commands, and locks the row until the transaction ends. */
async function lockedRow({ query }: WriteSession, code: string): Promise<Terms | null> {
  await query('UPDATE customers SET CustomerCode = CustomerCode WHERE CustomerCode = ?', [code]);
  const [row] = await query(`SELECT ${TERMS.join()} FROM customers WHERE CustomerCode = ?`, [code]);
  if (!row) return null;
  const DiscountPercentage = decimalText(String(row.DiscountPercentage));
  return { ...(row as unknown as Terms), DiscountPercentage, Active: Boolean(row.Active) };
}

async function refusePriceChanges(
  { query }: WriteSession,
  code: string,
  before: Terms,
  changes: CustomerChanges,
): Promise<void> {
  const after = { ...before, ...changes };
  if (!needsComparison(before, after)) return;
  const tally = await compareTerms({ query, terms: before }, { query, terms: after });
  const problem = tally.problem(`net prices of customer ${code}`);
  if (problem) throw new PriceChangeRefused(`Nothing was changed: ${problem}.`);
}

async function write(
  { query }: WriteSession,
  code: string,
  values: Readonly<Record<string, unknown>>,
  isNew: boolean,
): Promise<void> {
  const names = Object.keys(values);
  const parameters = [...Object.values(values), code];
  const marks = parameters.map(() => '?').join();
  const assignments = names.map((name) => `${name} = ?`).join();
  if (isNew) await query(`INSERT INTO customers (${[...names, 'CustomerCode'].join()}) VALUES (${marks})`, parameters);
  else if (names.length) await query(`UPDATE customers SET ${assignments} WHERE CustomerCode = ?`, parameters);
}

/** A reference to a row that does not exist. The message lists the existing codes. */
export class UnknownReference extends Error {
  constructor(noun: string, code: string, known: readonly string[]) {
    super(`There is no ${noun} ${code}. Existing codes: ${known.join(', ') || 'none; import some first'}.`);
  }
}
