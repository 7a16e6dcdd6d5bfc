import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { DatabaseService } from '../database/database.service.js';
import { TermsChangeRecord } from './terms-change.entity.js';

/** Reads the record of changes. */
@Injectable()
export class TermsHistoryService {
  constructor(
    private readonly database: DatabaseService,
    @InjectRepository(TermsChangeRecord) private readonly changes: Repository<TermsChangeRecord>,
  ) {}

  /** The latest changes of a customer, of its keys and of every price list that it has or had; latest first. */
  async latest(customerCode: string, count: number): Promise<TermsChangeRecord[]> {
    const own = await this.changes.find({
      where: { Subject: In(['customer', 'api_key']), Code: customerCode },
      order: { ChangedAt: 'DESC', ID: 'DESC' },
    });
    const lists = new Set(own.flatMap(({ OldValues, NewValues }) => [OldValues, NewValues].flatMap(listOf)));
    const [row] = await this.database.query('SELECT PriceListCode FROM customers WHERE CustomerCode = ?', [
      customerCode,
    ]);
    listOf(row).forEach((code) => lists.add(code));
    const ofLists = await this.changes.find({ where: { Subject: 'price_list', Code: In([...lists]) } });
    return [...own, ...ofLists]
      .toSorted((one, other) => other.ChangedAt.getTime() - one.ChangedAt.getTime() || other.ID - one.ID)
      .slice(0, count);
  }
}

function listOf(values: Readonly<Record<string, unknown>> | null | undefined): string[] {
  return values?.PriceListCode ? [String(values.PriceListCode)] : [];
}
