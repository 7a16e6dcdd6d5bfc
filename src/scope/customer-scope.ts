import type { ContentPart } from '../versions/content-versions.js';

/** What a customer may see, and at which terms: read from its record, the first argument of every catalogue query. */
export interface CustomerScope {
  readonly customerCode: string;
  /** The assigned price list; null: none, so nothing is eligible. */
  readonly priceList: PriceListTerms | null;
  /** The code of the assigned warehouse; null: none, so there is no stock to show. */
  readonly warehouseCode: string | null;
  /** 0 to 100, a decimal as text. */
  readonly discountPercentage: string;
  /** The versions of the content that the customer may see; null: there never was any. */
  readonly versions: Readonly<Record<ContentPart['part'], string | null>>;
}

interface PriceListTerms {
  readonly code: string;
  readonly name: string | null;
  /** ISO 4217. */
  readonly currencyCode: string;
}
