import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { DatabaseService } from '../database/database.service.js';
import { Customer } from './customer.entity.js';

/** The columns of a customer that an operator may change, with their new values. */
export type CustomerChanges = Partial<Omit<Customer, 'CustomerCode' | 'DeactivatedAt'>>;

/** The columns of a new customer. */
const NEW: CustomerChanges = { DiscountPercentage: '0', Active: true };

/** Keeps the records of customers. */
@Injectable()
export class CustomersService {
  constructor(
    private readonly database: DatabaseService,
    @InjectRepository(Customer) private readonly customers: Repository<Customer>,
  ) {}

  /** All customers, by code. */
  list(): Promise<Customer[]> {
    return this.customers.find({ order: { CustomerCode: 'ASC' } });
  }

  find(CustomerCode: string): Promise<Customer | null> {
    return this.customers.findOneBy({ CustomerCode });
  }

  /**
   * Creates the customer if no customer has this code, and makes the changes. Other columns are not written, because
   * another command may be changing them. Deactivating a customer also ends its tokens for good.
   * @throws {UnknownReference} if the price list or warehouse does not exist
   */
  async set(CustomerCode: string, changes: CustomerChanges): Promise<Customer> {
    await this.assertExists('price list', 'price_lists', 'PriceListCode', changes.PriceListCode);
    await this.assertExists('warehouse', 'warehouses', 'WarehouseCode', changes.WarehouseCode);
    const changed = changes.Active === false ? { ...changes, DeactivatedAt: new Date() } : changes;
    if (!(await this.find(CustomerCode))) await this.customers.insert({ ...NEW, ...changed, CustomerCode });
    else if (Object.keys(changed).length) await this.customers.update({ CustomerCode }, changed);
    return this.customers.findOneByOrFail({ CustomerCode });
  }

  /** Deletes the customer and its API keys. @returns false where there is none of this code. */
  async delete(CustomerCode: string): Promise<boolean> {
    const { affected } = await this.customers.delete({ CustomerCode });
    return Boolean(affected);
  }

  private async assertExists(what: string, table: string, column: string, code?: string | null): Promise<void> {
    if (!code) return;
    const known = await this.database.query(`SELECT ${column} AS code FROM ${table} ORDER BY ${column}`);
    if (known.some((row) => row.code === code)) return;
    throw new UnknownReference(
      what,
      code,
      known.map((row) => String(row.code)),
    );
  }
}

/** A code that names nothing, with those that would. */
export class UnknownReference extends Error {
  constructor(what: string, code: string, known: readonly string[]) {
    super(`There is no ${what} ${code}; there is ${known.join(', ') || 'none yet: import some first'}.`);
  }
}
