import { Entity } from 'typeorm';
import { HiddenField } from '../resource/field.decorator.js';

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
const isCurrency = (code: string) => CURRENCIES.has(code);

/** A list of prices in one currency, assigned to customers. */
@Entity('price_lists')
export class PriceList {
  @HiddenField({ type: 'varchar', length: 64, primary: true })
  PriceListCode!: string;

  @HiddenField({ type: 'varchar', length: 255 })
  PriceListName!: string | null;

  /** ISO 4217. */
  @HiddenField({
    type: 'varchar',
    length: 3,
    nullable: false,
    identifier: true,
    pattern: { test: isCurrency, expected: 'a currency code, three capital letters of ISO 4217' },
  })
  CurrencyCode!: string;
}
