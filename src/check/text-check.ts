import { isVisible } from '../assortment/assortment.js';
import type { Query, Row } from '../database/query.js';
import { between } from '../database/sku-conditions.js';
import { gtinFault } from './gtin.js';
import { isPictureName } from './picture-name.js';
import type { TextRule } from './rules.js';
import { unclosedHtml } from './unclosed-html.js';

/** Kept small, because descriptions may be long. */
const BATCH = 200;
const PRODUCTS = `SELECT SKU, Barcode, CartonBarcode, Photo, WebsiteDescription FROM products
  WHERE SKU > ? AND ${isVisible} ORDER BY SKU LIMIT ${BATCH}`;
const IMAGES = `SELECT product_images.SKU AS SKU, FileName FROM product_images
  JOIN products ON products.SKU = product_images.SKU
  WHERE ${between('product_images.SKU')} AND FileName IS NOT NULL AND ${isVisible} ORDER BY SKU, ImageID`;

type Report = (rule: TextRule, example: string) => void;

/** Checks the texts of all visible products in batches. */
export async function checkTexts(query: Query, report: Report): Promise<void> {
  let last = '';
  for (let full = true; full;) {
    const rows = await query(PRODUCTS, [last]);
    full = rows.length === BATCH;
    if (!rows.length) return;
    const images = await query(IMAGES, [rows[0]!.SKU, rows.at(-1)!.SKU]);
    let image = 0;
    for (const row of rows) {
      checkProduct(row, report);
      // Both lists are ordered by SKU.
      for (; images[image]?.SKU === row.SKU; image++) checkPicture(row.SKU, images[image]!.FileName, report);
    }
    last = String(rows.at(-1)!.SKU);
  }
}

function checkProduct({ SKU, Barcode, CartonBarcode, Photo, WebsiteDescription }: Row, report: Report): void {
  for (const barcode of [Barcode, CartonBarcode]) {
    const fault = barcode === null ? undefined : gtinFault(String(barcode));
    if (fault) report('barcode-invalid', `SKU ${SKU}: ${barcode} ${fault}`);
  }
  checkPicture(SKU, Photo, report);
  const unclosed = WebsiteDescription === null ? undefined : unclosedHtml(String(WebsiteDescription));
  if (unclosed) report('html-unclosed', `SKU ${SKU}: ${unclosed}`);
}

function checkPicture(sku: unknown, picture: unknown, report: Report): void {
  if (picture !== null && !isPictureName(String(picture))) report('picture-name', `SKU ${sku}: ${picture}`);
}
