// A usual declaration of the tables for TypeORM: each column, and the relations of a product.
import { EntitySchema } from 'typeorm';
import { dataSet } from '../data-set.mjs';

const RELATIONS = {
  images: 'product_images',
  accessories: 'product_accessories',
  substitutions: 'product_substitutions',
  composition: 'product_composition',
  prices: 'prices',
};
/** The second column of each key. */
const KEYS = {
  product_images: 'ImageID',
  product_accessories: 'AccessorySKU',
  product_substitutions: 'SubstituteSKU',
  product_composition: 'MaterialCode',
  prices: 'PriceListCode',
};

const columnsOf = (name) => dataSet('M').find((table) => table.name === name).columns;

const columns = (name) =>
  Object.fromEntries(
    columnsOf(name).map((column) => [column, { type: 'varchar', primary: ['SKU', KEYS[name]].includes(column) }]),
  );

const product = new EntitySchema({
  name: 'products',
  columns: columns('products'),
  relations: Object.fromEntries(
    Object.entries(RELATIONS).map(([name, target]) => [name, { type: 'one-to-many', target, inverseSide: 'product' }]),
  ),
});

const parts = Object.values(RELATIONS).map(
  (name) =>
    new EntitySchema({
      name,
      columns: columns(name),
      relations: {
        product: {
          type: 'many-to-one',
          target: 'products',
          joinColumn: { name: 'SKU' },
          inverseSide: Object.keys(RELATIONS).find((relation) => RELATIONS[relation] === name),
        },
      },
    }),
);

export const ENTITIES = [product, ...parts];

/** The relations that the query for products loads: all of them. */
export const relations = Object.fromEntries(Object.keys(RELATIONS).map((name) => [name, true]));
