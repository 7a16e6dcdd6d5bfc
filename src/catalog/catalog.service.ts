import { Injectable } from '@nestjs/common';
import { assortment, isVisible, lastSkuOf, type SkuSelection, skusInAssortment } from '../assortment/assortment.js';
import type { Elements } from '../download/elements.js';
import type { CustomerTerms } from '../scope/customer-scope.js';
import type { Snapshot } from '../database/engine.js';
import type { Query } from '../database/query.js';
import { ProductPrice } from '../pricing/product-price.entity.js';
import { selectColumns } from '../resource/columns.js';
import { jsonWriter } from '../resource/json-writer.js';
import { DOCUMENT_END } from './document-reader.js';
import { bytesOf, documentColumns, type DocumentRow } from './document-row.js';
import { portions } from './portions.js';
import { ProductDocuments } from './product-documents.js';

/**
 * The target size of a batch, in bytes. The number of documents in a batch follows from the size of the last batch that
 * was sent. The database does less work for large batches, but each download keeps two of them in memory. The size is
 * unknown for the first two batches.
 */
const BATCH_BYTES = 350_000;
const [FIRST_BATCH, LARGEST_BATCH] = [25, 400];

/** The most bytes of documents that the statement of a batch returns, because documents can suddenly become larger. */
const MOST_BYTES = 4 * BATCH_BYTES;

/**
 * The maximum bytes of documents in a piece, unless a single document is larger. The service keeps pieces in memory for
 * slow clients. The size of a document that is not stored is unknown, see `bytesOf`.
 */
const PIECE_BYTES = 250_000;

/** The products of a customer's assortment. */
@Injectable()
export class CatalogService implements Elements {
  private readonly writePrice = jsonWriter(ProductPrice);
  private readonly selection;

  constructor(private readonly documents: ProductDocuments) {
    const prices = selectColumns(ProductPrice);
    this.selection = {
      select: (rows: number) => `${prices}, ${documentColumns(Math.floor(MOST_BYTES / rows))}`,
      further: {
        join: `LEFT JOIN product_documents ON product_documents.SKU = prices.SKU AND product_documents.Shape = ?`,
        parameters: [documents.serializationHash],
      },
    };
  }

  /** Yields the elements of `GET /products` in batches. Each element is JSON with the separator before it. */
  async *elements(
    snapshot: Snapshot,
    terms: CustomerTerms,
    separator: string,
    among?: SkuSelection,
  ): AsyncGenerator<Buffer> {
    let limit = FIRST_BATCH;
    for await (const rows of assortment(snapshot, terms, { ...this.selection, among, batch: () => limit })) {
      let bytes = 0;
      for (const portion of portions(rows as DocumentRow[], bytesOf, PIECE_BYTES)) {
        const piece = joined(await this.withPrices(snapshot.query, portion, terms), separator);
        bytes += piece.length;
        yield piece;
      }
      limit = Math.min(LARGEST_BATCH, Math.ceil((BATCH_BYTES / bytes) * rows.length));
    }
  }

  private async withPrices(query: Query, rows: readonly DocumentRow[], terms: CustomerTerms): Promise<Parts[]> {
    const documents = await this.documents.ofRows(query, rows);
    return rows.map((row, index) => ({
      document: documents[index]!,
      rest: this.writePrice(row, terms) + DOCUMENT_END,
    }));
  }

  /**
   * Returns the element of one product, built from its rows. Undefined if a customer with these terms does not see the
   * product.
   */
  async element(query: Query, terms: CustomerTerms, sku: string): Promise<string | undefined> {
    if (!terms.priceList) return undefined;
    const [row] = await query(
      `SELECT ${selectColumns(ProductPrice)} FROM prices JOIN products ON products.SKU = prices.SKU
       WHERE prices.PriceListCode = ? AND prices.SKU = ? AND ${isVisible}`,
      [terms.priceList.code, sku],
    );
    const document = row && (await this.documents.make(query, [sku])).get(sku);
    return document && document + this.writePrice(row, terms) + DOCUMENT_END;
  }

  lastSku(snapshot: Snapshot, terms: CustomerTerms): Promise<string | undefined> {
    return lastSkuOf(snapshot, terms);
  }

  skus(snapshot: Snapshot, terms: CustomerTerms, skus: readonly string[]): Promise<ReadonlySet<string>> {
    return skusInAssortment(snapshot, terms, skus);
  }
}

/** An element in two parts: the stored document, and its end with the prices. */
interface Parts {
  document: Buffer | string;
  rest: string;
}

/** Joins the elements, each with the separator before it, in one buffer. */
function joined(elements: readonly Parts[], separator: string): Buffer {
  const size = elements.reduce(
    (sum, { document, rest }) => sum + Buffer.byteLength(document) + Buffer.byteLength(rest) + 1,
    0,
  );
  const bytes = Buffer.allocUnsafe(size);
  let end = 0;
  for (const { document, rest } of elements) {
    end += bytes.write(separator, end);
    end += typeof document === 'string' ? bytes.write(document, end) : document.copy(bytes, end);
    end += bytes.write(rest, end);
  }
  return bytes.subarray(0, end);
}
