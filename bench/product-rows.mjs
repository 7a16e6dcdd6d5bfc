// The rows of one product in a data set, computed from the number of the product.
import { HUNDRED, digits, picker, sentence } from './random.mjs';

/** Four sizes of a style follow each other in the order of their codes. */
const CLOTHES_SIZES = ['L', 'M', 'S', 'XL'];
const THEMES = ['Pirates', 'Medieval', 'Märchen', '1920s', 'Halloween', 'Carnival', 'Wild West', 'Space'];
const COLOURS = ['Black', 'Red', 'Royal blue', 'Gold', 'Silver', 'White', 'Green', 'Purple', 'Multicoloured'];
const CARE = ['Hand wash only.', 'Machine wash cold, do not tumble dry.', 'Surface clean with a damp cloth.', null];
const MATERIALS = [
  ['CO', 'cotton'],
  ['EL', 'elastane'],
  ['EVA', 'EVA foam'],
  ['PES', 'polyester'],
  ['PU', 'polyurethane'],
];

const styleOf = (index) => `COS-${digits(Math.floor(index / 4), 6)}`;

export const skuOf = (index) => `${styleOf(index)}-${CLOTHES_SIZES[index % 4]}`;

/** The row of `products`. Every 16th product is obsolete. The texts of a product have about 1 kB. */
export function product(index) {
  const pick = picker(index);
  const quarters = (most) => String((1 + ((pick(HUNDRED) * 100 + pick(HUNDRED)) % (most * 4))) / 4);
  const sku = skuOf(index);
  const name = `${sentence(pick, 4).slice(0, -1)}, size ${CLOTHES_SIZES[index % 4]}`;
  return {
    SKU: sku,
    Name: name,
    Description: `${sentence(pick, 24)} ${sentence(pick, 20)}`,
    WebsiteDescription: websiteDescription(pick, name),
    ProductCategoryCode: `COSTUMES-${digits(pick(HUNDRED), 3)}`,
    WashingInstructions: pick(CARE),
    Gender: pick(['Women', 'Men', 'Unisex']),
    Audience: pick(['Adult', 'Kids', 'Teens']),
    MainColour: pick(COLOURS),
    Barcode: `40${digits(index, 11)}`,
    Photo: `https://cdn.example.com/${sku.toLowerCase()}_front.jpg`,
    Theme: pick(THEMES),
    PackagedLength_in_cm: quarters(60),
    PackagedWidth_in_cm: quarters(40),
    PackagedHeight_in_cm: quarters(10),
    PackagedWeight_in_g: quarters(900),
    CartonLength_in_cm: quarters(90),
    CartonWidth_in_cm: quarters(60),
    CartonHeight_in_cm: quarters(60),
    CartonWeight_in_g: quarters(2500),
    CartonQty: pick([6, 12, 24, 48, 96, 144]),
    AmazonASIN: index % 4 === 3 ? null : `B0${digits(index, 8)}`,
    CountryOfOrigin: pick(['CN', 'IN', 'BD', 'PT', 'DE']),
    Status: index % 16 === 15 ? 'OBSOLETE' : 'ACTIVE',
    StyleCode: styleOf(index),
    CartonBarcode: `140${digits(index, 11)}`,
    HSCode: `9505${digits(pick(HUNDRED), 2)}${digits(pick(HUNDRED), 2)}`,
    WhatsIncluded: sentence(pick, 8),
    ProductCompositionText: composition(index)
      .map(({ MaterialDescription, CompositionPercentage }) => `${CompositionPercentage} % ${MaterialDescription}`)
      .join(', '),
  };
}

function websiteDescription(pick, name) {
  const points = [sentence(pick, 6), sentence(pick, 7)].map((point) => `<li>${point}</li>`);
  return `<h3>${name}</h3>\n<p class="intro">${sentence(pick, 30)}</p>\n<ul>\n${points.join('\n')}\n</ul>`;
}

/** Four rows of `product_images`, the first of them the primary image. */
export function images(index) {
  const sku = skuOf(index);
  return ['front', 'back', 'detail', 'worn'].map((view, position) => ({
    SKU: sku,
    ImageID: `${sku}-${position + 1}`,
    FileName: `${sku.toLowerCase()}_${view}.jpg`,
    IsPrimaryImage: position === 0,
  }));
}

/** Two rows of `product_accessories`, which reference two other products of the `count`. */
export function accessories(index, count) {
  return [101, 1_009].map((distance) => ({ SKU: skuOf(index), AccessorySKU: skuOf((index + distance) % count) }));
}

/** Two rows of `product_substitutions`: the next style in the same size, and a product 2,003 positions later. */
export function substitutions(index, count) {
  return [4, 2_003].map((distance) => ({ SKU: skuOf(index), SubstituteSKU: skuOf((index + distance) % count) }));
}

/** Two rows of `product_composition`. */
export function composition(index) {
  const share = 50 + (index % 49);
  const row = ([code, description], percentage) => ({
    SKU: skuOf(index),
    MaterialCode: code,
    MaterialDescription: description,
    CompositionPercentage: String(percentage),
  });
  return [row(MATERIALS[index % MATERIALS.length], share), row(['VI', 'viscose'], 100 - share)];
}
