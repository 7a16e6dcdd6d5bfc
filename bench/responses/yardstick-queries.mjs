// The plain queries that responses are compared with. Each selects the eligible products of the price list.

const from = (join = '') => `FROM prices JOIN products ON products.SKU = prices.SKU ${join}
  WHERE prices.PriceListCode = :list AND (products.Status IS NULL OR products.Status <> 'OBSOLETE')`;

export const ARRAYS = ['product_images', 'product_accessories', 'product_substitutions', 'product_composition'];

/** Floor A: all rows of the products of an assortment, one query per table. */
export const NORMALISED_ROWS = [
  `SELECT products.*, prices.* ${from()}`,
  ...ARRAYS.map((name) => `SELECT ${name}.* ${from(`JOIN ${name} ON ${name}.SKU = prices.SKU`)}`),
];

/** The next 1,000 products of an assortment, with their prices. */
export const BATCH = `SELECT products.*, prices.* ${from()} AND prices.SKU > :after ORDER BY prices.SKU LIMIT 1000`;

/** The rows of some products, by the name of the table. */
export const PARTS = Object.fromEntries(
  ARRAYS.map((name) => [name, `SELECT * FROM ${name} WHERE SKU IN (:skus) ORDER BY SKU`]),
);

/** What a 304 reads to decide that nothing has changed: the key, the terms, and the version of each content part. */
export const STATE = `SELECT customers.CustomerCode, customers.WarehouseCode, customers.DiscountPercentage,
    customers.DeactivatedAt, price_lists.PriceListCode, price_lists.PriceListName, price_lists.CurrencyCode, api_keys.ID,
    api_keys.ExpiresAt, products.Version AS Products, prices.Version AS Prices, stock.Version AS Stock
  FROM customers LEFT JOIN price_lists ON price_lists.PriceListCode = customers.PriceListCode
  LEFT JOIN content_versions products ON products.Part = 'products' AND products.Code = ''
  LEFT JOIN content_versions prices ON prices.Part = 'prices' AND prices.Code = customers.PriceListCode
  LEFT JOIN content_versions stock ON stock.Part = 'stock' AND stock.Code = customers.WarehouseCode
  LEFT JOIN api_keys ON api_keys.ID = ? AND api_keys.CustomerCode = customers.CustomerCode AND api_keys.RevokedAt IS NULL
  WHERE customers.CustomerCode = ? AND customers.Active = 1`;

export const STOCK = `SELECT stock.SKU, stock.WarehouseCode, stock.AvailableQTY, stock.NextAvailableETA
  ${from('JOIN stock ON stock.SKU = prices.SKU AND stock.WarehouseCode = :warehouse')} ORDER BY prices.SKU`;

export const PRICES = `SELECT prices.PriceListCode, price_lists.PriceListName, price_lists.CurrencyCode, prices.SKU,
    IF(prices.DiscountEligible, ROUND(prices.Price * (100 - :discount) / 100, 4), prices.Price) AS PriceExclVAT,
    prices.MOQ, prices.OrderMultiple
  ${from('JOIN price_lists ON price_lists.PriceListCode = prices.PriceListCode')} ORDER BY prices.SKU`;
