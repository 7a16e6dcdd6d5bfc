import { stringify } from 'csv-stringify/sync';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readMapped, readMappedText } from '../../../../test/support/mapped-file.js';
import { readCsv } from '../csv/csv-records.js';
import { InputFile } from '../input-file.js';
import { parseMapping, readMapping } from '../map/mapping.js';

const mappingOf = (system: string) => readMapping(join('mappings', `${system}.yaml`));
const sampleOf = (system: string) => join('test', 'samples', `${system}-products.csv`);
const read = async (system: string) => readMapped(sampleOf(system), await mappingOf(system));

/** Makes rows from lists of values. */
const rows = (columns: string[], values: unknown[][]) =>
  values.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])));

const images = (idFolder: string, fileFolder: string, values: [SKU: string, path: string, main: boolean][]) =>
  values.map(([SKU, path, IsPrimaryImage]) => ({
    SKU,
    ImageID: idFolder + path,
    FileName: fileFolder + path,
    IsPrimaryImage,
  }));

test('magento2.yaml reads the sample export', async () => {
  const { tables, problems, notes } = await read('magento2');
  const photos = 'https://shop.example.com/media/catalog/product';
  const lantern = {
    Description: 'Paper lantern with a wire frame',
    ProductCategoryCode: 'Lanterns',
    PackagedWeight_in_g: '85',
  };
  expect(problems).toEqual([]);
  expect(tables).toEqual({
    price_lists: [{ PriceListCode: 'MAGENTO', PriceListName: 'Magento', CurrencyCode: 'EUR' }],
    warehouses: [{ WarehouseCode: 'MAGENTO', WarehouseName: 'Magento' }],
    products: [
      {
        ...lantern,
        SKU: 'LAN-100-RED',
        ProductCategoryCode: 'Lanterns/Paper',
        Name: 'Paper lantern, red',
        WebsiteDescription: '<p>Folds flat.</p>\n<ul><li>Wire frame</li><li>"Click" clasp</li></ul>',
        MainColour: 'Red',
        Photo: `${photos}/l/a/lan-100-red.jpg`,
        CountryOfOrigin: 'CN',
        Status: 'ACTIVE',
      },
      {
        ...lantern,
        SKU: 'LAN-100-BLU',
        Name: 'Paper lantern, blue',
        WebsiteDescription: '<p>Folds flat.</p>',
        MainColour: 'Night blue',
        CountryOfOrigin: 'VN',
        Status: 'OBSOLETE',
      },
      {
        SKU: 'LED-7',
        Name: 'LED candle 7"',
        ProductCategoryCode: 'Lights',
        Photo: `${photos}/l/e/led-7.jpg`,
        PackagedWeight_in_g: '120',
        Status: 'ACTIVE',
      },
      { SKU: 'PLAN-1', Name: 'Party plan by e-mail', Status: 'ACTIVE' },
    ],
    product_images: images('', photos, [
      ['LAN-100-RED', '/l/a/lan-100-red.jpg', true],
      ['LAN-100-RED', '/l/a/lan-100-back.jpg', false],
      ['LAN-100-BLU', '/l/a/lan-100-blu.jpg', false],
      ['LED-7', '/l/e/led-7.jpg', true],
    ]),
    product_accessories: ['LED-7', 'HOOK-2', 'GLUE-9'].map((AccessorySKU) => ({ SKU: 'LAN-100-RED', AccessorySKU })),
    product_substitutions: [{ SKU: 'LAN-100-RED', SubstituteSKU: 'LAN-200' }],
    prices: rows(
      ['PriceListCode', 'SKU', 'Price', 'MOQ', 'DiscountEligible'],
      [
        ['MAGENTO', 'LAN-100-RED', '4.95', '6', true],
        ['MAGENTO', 'LAN-100-BLU', '4.95', '1', true],
        ['MAGENTO', 'LED-7', '2', '1', true],
        ['MAGENTO', 'PLAN-1', '15.5', '1', true],
      ],
    ),
    stock: rows(
      ['WarehouseCode', 'SKU', 'AvailableQTY'],
      [
        ['MAGENTO', 'LAN-100-RED', '240'],
        ['MAGENTO', 'LAN-100-BLU', '-3'],
        ['MAGENTO', 'LED-7', '1000'],
      ],
    ),
  });
  expect(notes.slice(0, 2)).toEqual([
    'magento2-products.csv: the map skips 4 row(s) for products, product_images, product_accessories, product_substitutions, prices',
    'magento2-products.csv: the map skips 5 row(s) for stock',
  ]);
});

test('woocommerce.yaml reads the sample export', async () => {
  const { tables, problems, notes } = await read('woocommerce');
  const uploads = 'https://shop.example.com/wp-content/uploads';
  const windsock = {
    Description: 'Sewn by hand',
    ProductCategoryCode: 'Outdoor > Windsocks',
    PackagedLength_in_cm: '120',
    PackagedWidth_in_cm: '20',
    PackagedHeight_in_cm: '20',
    StyleCode: 'WIND',
  };
  expect(problems).toEqual([]);
  expect(tables).toEqual({
    price_lists: [{ PriceListCode: 'WOOCOMMERCE', PriceListName: 'WooCommerce', CurrencyCode: 'EUR' }],
    warehouses: [{ WarehouseCode: 'WOOCOMMERCE', WarehouseName: 'WooCommerce' }],
    products: [
      {
        SKU: 'KITE-1',
        Name: 'Box kite "Albatross"',
        Description: 'Box kite\nwith 40 m of line',
        WebsiteDescription: '<p>Flies from 3 Bft.</p>\n<p>Ready to fly.</p>',
        ProductCategoryCode: 'Kites > Box, cell and delta',
        Barcode: '4006381333931',
        Photo: `${uploads}/kite-1.jpg`,
        PackagedLength_in_cm: '90',
        PackagedWidth_in_cm: '12',
        PackagedHeight_in_cm: '8.5',
        PackagedWeight_in_g: '640',
        Status: 'ACTIVE',
      },
      {
        ...windsock,
        SKU: 'WIND-RED',
        Name: 'Windsock - Red',
        WebsiteDescription: 'Fire red',
        Photo: `${uploads}/wind-red.jpg`,
        PackagedWeight_in_g: '250',
        Status: 'ACTIVE',
      },
      {
        ...windsock,
        SKU: 'WIND-BLU',
        Name: 'Windsock - Blue',
        WebsiteDescription: '<p>Made of spinnaker nylon.</p>',
        Photo: `${uploads}/wind.jpg`,
        PackagedWeight_in_g: '200',
        Status: 'OBSOLETE',
      },
      {
        SKU: 'PIN-S',
        Name: 'Pinwheel - Small',
        Description: 'Turns in any wind',
        ProductCategoryCode: 'Outdoor',
        Photo: `${uploads}/pin.jpg`,
        Status: 'OBSOLETE',
        StyleCode: 'id:50',
      },
      { SKU: 'CLASS-1', Name: 'Flying lesson', Status: 'ACTIVE' },
    ],
    product_images: images(`${uploads}/`, `${uploads}/`, [
      ['KITE-1', 'kite-1.jpg', true],
      ['KITE-1', 'kite-1-box.jpg', false],
      ['WIND-RED', 'wind-red.jpg', true],
      ['WIND-BLU', 'wind.jpg', true],
      ['WIND-BLU', 'wind-garden.jpg', false],
      ['PIN-S', 'pin.jpg', true],
    ]),
    product_accessories: rows(
      ['SKU', 'AccessorySKU'],
      [
        ['KITE-1', 'LINE-50'],
        ['KITE-1', 'id:77'],
        ['WIND-RED', 'POLE-3'],
        ['WIND-BLU', 'POLE-3'],
      ],
    ),
    product_substitutions: [{ SKU: 'KITE-1', SubstituteSKU: 'KITE-9' }],
    prices: rows(
      ['PriceListCode', 'SKU', 'Price', 'DiscountEligible'],
      [
        ['WOOCOMMERCE', 'KITE-1', '29.9', true],
        ['WOOCOMMERCE', 'WIND-RED', '12.5', true],
        ['WOOCOMMERCE', 'WIND-BLU', '12.5', true],
        ['WOOCOMMERCE', 'PIN-S', '3', true],
      ],
    ),
    stock: rows(
      ['WarehouseCode', 'SKU', 'AvailableQTY'],
      [
        ['WOOCOMMERCE', 'KITE-1', '25'],
        ['WOOCOMMERCE', 'WIND-RED', '60'],
        ['WOOCOMMERCE', 'WIND-BLU', '7'],
        ['WOOCOMMERCE', 'PIN-S', '-2'],
      ],
    ),
  });
  expect(notes.slice(0, 2)).toEqual([
    'woocommerce-products.csv: the map skips 4 row(s) for products, product_images, product_accessories, product_substitutions',
    'woocommerce-products.csv: the map skips 5 row(s) for prices, stock',
  ]);
});

const CDN = 'https://cdn.example.com/s/files';
const HAT = {
  WebsiteDescription: '<p>Wool felt.</p>\n<p>Hand-blocked, with a cord.</p>',
  ProductCategoryCode: 'Apparel & Accessories > Clothing Accessories > Hats',
  Status: 'ACTIVE',
  StyleCode: 'felt-hat',
};
const SHOPIFY_TABLES = {
  price_lists: [{ PriceListCode: 'SHOPIFY', PriceListName: 'Shopify', CurrencyCode: 'EUR' }],
  warehouses: [{ WarehouseCode: 'SHOPIFY', WarehouseName: 'Shopify' }],
  products: [
    {
      ...HAT,
      SKU: 'HAT-BLK-M',
      Name: 'Felt hat "Corsair" / Black / M',
      Barcode: '4006381333948',
      Photo: `${CDN}/hat-black.jpg`,
      PackagedWeight_in_g: '180',
    },
    {
      ...HAT,
      SKU: 'HAT-BLK-L',
      Name: 'Felt hat "Corsair" / Black / L',
      Photo: `${CDN}/hat-1.jpg`,
      PackagedWeight_in_g: '185.5',
    },
    { SKU: 'WRAP', Name: 'Gift wrap', ProductCategoryCode: 'Services', Status: 'OBSOLETE', StyleCode: 'gift-wrap' },
    {
      SKU: 'CLK-1',
      Name: 'Cloak',
      WebsiteDescription: 'Velvet',
      Photo: `${CDN}/cloak.jpg`,
      PackagedWeight_in_g: '900',
      Status: 'ACTIVE',
      StyleCode: 'cloak',
    },
  ],
  product_images: images(`${CDN}/`, `${CDN}/`, [
    ['HAT-BLK-M', 'hat-1.jpg', true],
    ['HAT-BLK-M', 'hat-2.jpg', false],
    ['HAT-BLK-M', 'hat-black.jpg', false],
    ['CLK-1', 'cloak.jpg', true],
    ['CLK-1', 'cloak-back.jpg', false],
  ]),
  prices: rows(
    ['PriceListCode', 'SKU', 'Price', 'DiscountEligible'],
    [
      ['SHOPIFY', 'HAT-BLK-M', '19.9', true],
      ['SHOPIFY', 'HAT-BLK-L', '19.9', true],
      ['SHOPIFY', 'WRAP', '2', true],
      ['SHOPIFY', 'CLK-1', '45', true],
    ],
  ),
  stock: rows(
    ['WarehouseCode', 'SKU', 'AvailableQTY'],
    [
      ['SHOPIFY', 'HAT-BLK-M', '12'],
      ['SHOPIFY', 'HAT-BLK-L', '-2'],
      ['SHOPIFY', 'CLK-1', '3'],
    ],
  ),
};

test('shopify.yaml reads the sample export', async () => {
  const { tables, problems, notes } = await read('shopify');
  expect(problems).toEqual([]);
  expect(tables).toEqual(SHOPIFY_TABLES);
  expect(notes.slice(0, 3)).toEqual([
    'shopify-products.csv: the map skips 2 row(s) for products, prices',
    'shopify-products.csv: the map skips 1 row(s) for product_images',
    'shopify-products.csv: the map skips 3 row(s) for stock',
  ]);
});

/** Headers that Shopify has renamed, each with its former name. */
const RENAMED: Record<string, string> = {
  'URL handle': 'Handle',
  Description: 'Body (HTML)',
  'Product category': 'Product Category',
  'Published on online store': 'Published',
  SKU: 'Variant SKU',
  Barcode: 'Variant Barcode',
  'Option1 value': 'Option1 Value',
  'Option2 value': 'Option2 Value',
  'Option3 value': 'Option3 Value',
  Price: 'Variant Price',
  'Inventory tracker': 'Variant Inventory Tracker',
  'Inventory quantity': 'Variant Inventory Qty',
  'Weight value (grams)': 'Variant Grams',
  'Product image URL': 'Image Src',
  'Image position': 'Image Position',
  'Variant image URL': 'Variant Image',
};

test('shopify.yaml also reads files with the former headers', async () => {
  const [header = '', ...lines] = (await readFile(sampleOf('shopify'), 'utf8')).split('\n');
  const former = header.split(',').map((name) => RENAMED[name] ?? name);
  const { tables, problems } = await readMappedText([former.join(), ...lines].join('\n'), await mappingOf('shopify'));
  expect(problems).toEqual([]);
  expect(tables).toEqual(SHOPIFY_TABLES);
});

test.each(['magento2', 'woocommerce', 'shopify'])('%s.yaml does not skip a row without a SKU', async (system) => {
  const lines = (await readFile(sampleOf(system), 'utf8')).split('\n');
  const sku = { magento2: 'LED-7', woocommerce: 'CLASS-1', shopify: 'CLK-1' }[system]!;
  const text = lines.map((line) => line.replace(new RegExp(`(^|,)${sku},`), '$1,')).join('\n');
  const { problems } = await readMappedText(text, await mappingOf(system));
  expect(problems[0]).toMatch(/^export\.csv:\d+: (sku|SKU) \(products\.SKU\): is empty, but a value is required$/);
});

const split = (text: string) => text.split('|').map((name) => name.trim());
const ENGLISH = split(`
  Type|SKU|GTIN, UPC, EAN, or ISBN|Name|Published|Short description|Description|Stock|Weight (kg)|
  Length (cm)|Width (cm)|Height (cm)|Regular price|Categories|Images|Parent|Upsells|Cross-sells`);
/** The headers of WooCommerce in other languages, in the order of the English ones. */
const TRANSLATED: Record<string, string[]> = {
  de: split(`
  Typ|Artikelnummer|GTIN, UPC, EAN oder ISBN|Name|Veröffentlicht|Kurzbeschreibung|Beschreibung|Bestand|
  Gewicht (kg)|Länge (cm)|Breite (cm)|Höhe (cm)|Regulärer Preis|Kategorien|Bilder|
  Übergeordnetes Produkt|Zusatzverkäufe|Cross-Sells (Querverkäufe)`),
  fr: split(`
  Type|UGS|GTIN, UPC, EAN ou ISBN|Nom|Publié|Description courte|Description|Stock|Poids (kg)|
  Longueur (cm)|Largeur (cm)|Hauteur (cm)|Tarif régulier|Catégories|Images|Parent|Produits suggérés|
  Ventes croisées`),
  es: split(`
  Tipo|SKU|GTIN, UPC, EAN o ISBN|Nombre|Publicado|Descripción corta|Descripción|Inventario|Peso (kg)|
  Longitud (cm)|Anchura (cm)|Altura (cm)|Precio normal|Categorías|Imágenes|Superior|Ventas dirigidas|
  Ventas cruzadas`),
  pt: split(`
  Tipo|SKU|GTIN, UPC, EAN ou ISBN|Nome|Publicado|Descrição curta|Descrição|Estoque|Peso (kg)|
  Comprimento (cm)|Largura (cm)|Altura (cm)|Preço|Categorias|Imagens|Ascendente|Aumentar vendas|
  Venda cruzada`),
};

test.each(Object.keys(TRANSLATED))('woocommerce.yaml reads the headers of a site in %s', async (language) => {
  const [header = '', ...lines] = (await readFile(sampleOf('woocommerce'), 'utf8')).split('\n');
  const translated = ENGLISH.reduce((text, name, index) => {
    const other = TRANSLATED[language]![index]!;
    return text.replace(new RegExp(`(^|,|\uFEFF)("?)${name.replace(/[()]/g, '\\$&')}\\2(?=,)`), `$1$2${other}$2`);
  }, header);
  expect(translated).not.toBe(header);
  const { tables, problems } = await readMappedText([translated, ...lines].join('\n'), await mappingOf('woocommerce'));
  expect(problems).toEqual([]);
  expect(tables).toEqual((await read('woocommerce')).tables);
});

/** Removes the blocks of these tables from the text of a map. */
async function without(system: string, ...names: string[]): Promise<string> {
  const text = await readFile(join('mappings', `${system}.yaml`), 'utf8');
  return names.reduce((rest, name) => rest.replace(new RegExp(`^${name}:\\n([ #].*\\n|\\n)*`, 'm'), ''), text);
}

test.each<readonly [system: string, names: readonly string[]]>([
  ['shopify', ['warehouses', 'stock']],
  ['magento2', ['stock']],
  ...['shopify', 'magento2', 'woocommerce'].map((system) => [system, ['price_lists', 'warehouses']] as const),
])('%s.yaml without the blocks %j is a valid map', async (system, names) => {
  const text = await without(system, ...names);
  for (const name of names) expect(text).not.toContain(`\n${name}:`);
  const { tables, problems } = await readMapped(sampleOf(system), parseMapping(text, 'map.yaml'));
  const all = (await read(system)).tables;
  for (const name of names) delete all[name];
  expect([tables, problems]).toEqual([all, []]);
});

test.each([
  ['magento2', 'product_online', ''],
  ['magento2', 'product_online', '3'],
  ['woocommerce', 'Published', ''],
  ['woocommerce', 'Published', '7'],
  ['shopify', 'Status', ''],
  ['shopify', 'Status', 'suspended'],
])('%s.yaml refuses the %s %j', async (system, header, value) => {
  const mapping = await mappingOf(system);
  const file = await InputFile.at(sampleOf(system));
  const records: string[][] = [];
  for await (const chunk of readCsv(file.bytes(), { encoding: 'utf-8', decimalComma: false }))
    records.push(...chunk.map(({ cells }) => cells));
  const column = records[0]!.indexOf(header);
  for (const cells of records.slice(1)) cells[column] = value;
  const text = stringify(records);
  const { problems } = await readMappedText(text, mapping);
  const fault = value ? `"${value}" is not listed under values in the map` : 'is empty, but the map requires';
  expect(problems[0]).toContain(`(products.Status): ${fault}`);
});

test('shopify.yaml refuses a file with neither Status nor Published', async () => {
  const text = (await readFile(sampleOf('shopify'), 'utf8')).replace('Published on online store,Status,', 'x,y,');
  expect((await readMappedText(text, await mappingOf('shopify'))).problems).toEqual([
    'export.csv:1: Status, Published on online store: missing column: the file has none of these headers, but Status needs one',
  ]);
});

test('woocommerce.yaml gives a variation of a draft the status OBSOLETE', async () => {
  const text = (await readFile(sampleOf('woocommerce'), 'utf8')).replace(
    '42,variable,WIND,,Windsock,1',
    '42,variable,WIND,,Windsock,-1',
  );
  const { tables } = await readMappedText(text, await mappingOf('woocommerce'));
  expect(tables.products!.find(({ SKU }) => SKU === 'WIND-RED')).toMatchObject({ Status: 'OBSOLETE' });
});

test('woocommerce.yaml refuses a parent without Published, whose variations could be drafts', async () => {
  const text = (await readFile(sampleOf('woocommerce'), 'utf8')).replace(
    '42,variable,WIND,,Windsock,1',
    '42,variable,WIND,,Windsock,',
  );
  const { problems } = await readMappedText(text, await mappingOf('woocommerce'));
  expect(problems[0]).toContain('Published (products.Status): is empty in the row that the map looks up');
});

/** The price that the map of WooCommerce reads, or the first problem. */
async function woocommercePrice(price: string): Promise<string> {
  const header = 'ID,Type,SKU,Name,Published,Stock,Regular price,Images,Parent,Upsells,Cross-sells';
  const text = `${header}\n1,simple,A,Rope,1,,"${price}",,,,\n`;
  const { tables, problems } = await readMappedText(text, await mappingOf('woocommerce'));
  return problems[0] ?? String(tables.prices![0]!.Price);
}

test('woocommerce.yaml reads decimal points and commas, and refuses a price that may have thousands', async () => {
  for (const price of ['12.90', '12,90']) expect(await woocommercePrice(price)).toBe('12.9');
  for (const price of ['1,299', '1.299', '1,299.00', '1.299,00'])
    expect(await woocommercePrice(price)).toContain(`Regular price (prices.Price): "${price}"`);
});

test('woocommerce.yaml refuses a file without the parent of a variation', async () => {
  const lines = (await readFile(sampleOf('woocommerce'), 'utf8')).split('\n').filter((line) => !line.startsWith('42,'));
  const { problems } = await readMappedText(lines.join('\n'), await mappingOf('woocommerce'));
  expect(problems).toContainEqual(
    expect.stringContaining('no row of the file has the SKU "WIND"; export that row as well'),
  );
});
