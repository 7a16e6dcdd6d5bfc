import { type Clause, clause, holds, notTestable, same } from '../clause.js';
import { NotTestable } from '../failure.js';
import { catalogue, type DataPath, type Element, elements, elementsOf, nested, numbersIn } from '../data.js';
import { DATA_PATHS } from '../endpoints.js';
import type { Deployment } from '../deployment.js';

/** §2.1 to §2.7, §3 and §4: the content of responses, and their consistency with each other. */
export const CONTENT: Clause[] = [
  clause('§2.1 arrays', 'a product has every nested array, [] if it is empty (decision 1)', async (deployment) => {
    const names = ['Images', 'Accessories', 'Substitutions', 'Composition', 'Prices'].map((name) => `Product${name}`);
    for (const product of await elements(deployment, '/products')) {
      const arrays = names.filter((name) => Array.isArray(product[name]));
      same(`arrays of ${JSON.stringify(product.SKU)}`, arrays, names);
    }
  }),
  clause('§2.1 one-price', 'a product has exactly one price, that of the customer (decision 6)', async (deployment) => {
    for (const product of await elements(deployment, '/products')) {
      const skus = nested(product, 'ProductPrices').map(({ SKU }) => SKU);
      same(`SKUs of the ProductPrices of ${JSON.stringify(product.SKU)}`, skus, [product.SKU]);
    }
  }),
  clause('§2.1 trimmed', 'no SKU has leading or trailing space (decision 7)', async (deployment) => {
    for (const { SKU } of await elements(deployment, '/products')) same('a trimmed SKU', SKU, String(SKU).trim());
  }),
  clause('§2.6 one-list', 'all prices belong to one price list (§4.1)', async (deployment) => {
    await oneValue(deployment, '/prices', 'PriceListCode');
  }),
  clause('§2.6 currency', 'CurrencyCode is a code of ISO 4217 (decision 67)', async (deployment) => {
    const known = new Set(Intl.supportedValuesOf('currency'));
    for (const { CurrencyCode } of await elements(deployment, '/prices'))
      holds(known.has(String(CurrencyCode)), 'a currency of ISO 4217', CurrencyCode);
  }),
  clause('§2.6 not-told', 'a price does not contain the discount-eligibility flag', async (deployment) => {
    const [price = {}] = await elements(deployment, '/prices');
    same(
      'keys of eligibility',
      Object.keys(price).filter((key) => /discount|eligible/i.test(key)),
      [],
    );
  }),
  clause(
    '§2.6 same-prices',
    'the ProductPrices of all products equal /prices (decision 6, §4.3)',
    async (deployment) => {
      const { '/products': products, '/prices': prices } = await catalogue(deployment);
      const within = elementsOf(products).flatMap((product) => nested(product, 'ProductPrices'));
      same('SKUs of /prices', skus(elementsOf(prices)), skus(elementsOf(products)));
      elementsOf(prices).forEach((price, index) => same('in ProductPrices', within[index], price));
      // Parsing hides different spellings of a number, so this compares the digits.
      same('digits of prices', digits(products.bytes), digits(prices.bytes));
    },
  ),
  clause('§2.7 one-warehouse', 'all stock belongs to one warehouse (§4.2)', async (deployment) => {
    await oneValue(deployment, '/stock', 'StockLocation');
  }),
  clause('§2.7 has-product', '/products has each SKU of /stock (decision 6, §4.2)', async (deployment) => {
    const { '/products': products, '/stock': stock } = await catalogue(deployment);
    const known = new Set(skus(elementsOf(products)));
    const missing = skus(elementsOf(stock)).filter((sku) => !known.has(sku));
    same('SKUs that /products does not contain', missing, []);
  }),
  clause('§2.7 not-negative', 'AvailableQTY is never below 0 (decision 8)', async (deployment) => {
    for (const { SKU, AvailableQTY } of await elements(deployment, '/stock'))
      holds(Number(AvailableQTY) >= 0, `${JSON.stringify(SKU)} at 0 or more`, AvailableQTY);
  }),
  clause('§3 not-obsolete', 'no product has the Status OBSOLETE (decision 5, §4.1)', async (deployment) => {
    for (const { SKU, Status } of await elements(deployment, '/products'))
      holds(Status !== 'OBSOLETE', `${JSON.stringify(SKU)} with another Status`, Status);
  }),
  clause(
    '§3 other-statuses',
    'products whose Status is obsolete, OBSOLETE with a space, or null are returned (decision 5)',
    notTestable('needs products with such a Status, and a client cannot know whether any exist'),
  ),
  clause('§4.4 complete', 'a large response is complete JSON', async (deployment) => {
    for (const path of DATA_PATHS) elementsOf(await deployment.ask({ path }));
  }),
  clause('§4.5 same-bytes', 'the same content returns the same bytes (decision 2)', async (deployment) => {
    const { '/stock': stock, '/prices': prices } = await catalogue(deployment);
    for (const [path, { bytes, headers }] of Object.entries({ '/stock': stock, '/prices': prices })) {
      const again = await deployment.send({ path });
      if (again.headers.etag !== headers.etag) throw new NotTestable('the content changed: run it again');
      holds(
        again.bytes.equals(bytes),
        `the same ${bytes.length} bytes from ${path}`,
        `${again.bytes.length} different bytes`,
      );
    }
  }),
  clause('decision 4', 'a net price is exact and rounded once', notTestable('needs the list price and the discount')),
  clause('decision 9', 'a date is the stored calendar day', notTestable('needs the stored dates')),
  clause(
    'decision 10',
    'a customer without a price list gets [], a deleted customer gets 404',
    notTestable('needs such a customer'),
  ),
  clause(
    'decision 41 one-moment',
    'a response shows one moment of the database (§4.2)',
    notTestable('needs an import during the response'),
  ),
];

const PRICE_NUMBERS = new Set(['PriceExclVAT', 'MOQ', 'OrderMultiple']);

const digits = (bytes: Buffer) => [...numbersIn(bytes.toString())].filter(({ key }) => PRICE_NUMBERS.has(key));

const skus = (all: Element[]) => all.map(({ SKU }) => SKU);

async function oneValue(deployment: Deployment, path: DataPath, key: string): Promise<void> {
  const values = [...new Set((await elements(deployment, path)).map((element) => element[key]))];
  if (!values.length) throw new NotTestable(`this customer has no elements of ${path}`);
  same(`different values of ${key}`, values, values.slice(0, 1));
}
