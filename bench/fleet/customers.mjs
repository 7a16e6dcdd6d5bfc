// The customers of the fleet, who share a few different terms.
import { digits } from '../random.mjs';
import { dataSet } from '../data-set.mjs';

const PLACES = [
  ['EUR-A', 'NL01'],
  ['EUR-A', 'UK01'],
  ['EUR-B', 'NL01'],
  ['EUR-B', 'UK01'],
];

/** The table of `count` customers. Customer `number` has the terms `number % terms` and the default quota. */
export function customersTable(count, terms) {
  const { name, columns } = dataSet('M').find((table) => table.name === 'customers');
  const rows = () => Array.from({ length: count }, (_, number) => customer(number, number % terms));
  return { name, columns, rows };
}

export const codeOf = (number) => `FLEET-${digits(number, 5)}`;

function customer(number, terms) {
  const [list, warehouse] = PLACES[terms % PLACES.length];
  return {
    CustomerCode: codeOf(number),
    CustomerName: `Shop ${number} of the fleet`,
    PriceListCode: list,
    WarehouseCode: warehouse,
    DiscountPercentage: (Math.floor(terms / PLACES.length) / 20).toFixed(2),
    RequestsPerMinute: null,
    RequestsPerHour: null,
  };
}
