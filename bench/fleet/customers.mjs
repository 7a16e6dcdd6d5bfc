// Ten thousand customers, of a handful of terms, which they share with others.
import { digits } from '../chance.mjs';
import { dataSet } from '../data-set.mjs';

const DISCOUNTS = ['0', '5', '10', '12.5', '20'];
const PLACES = [
  ['EUR-A', 'NL01'],
  ['EUR-A', 'UK01'],
  ['EUR-B', 'NL01'],
  ['EUR-B', 'UK01'],
];

/** How many different terms there are. */
export const TERMS = PLACES.length * DISCOUNTS.length;

/** The table of them; the customer of each number has the terms of `number % TERMS`, and the usual quota. */
export function customersTable(count) {
  const { name, columns } = dataSet('M').find((table) => table.name === 'customers');
  const rows = () => Array.from({ length: count }, (_, number) => customer(number));
  return { name, columns, rows };
}

export const codeOf = (number) => `FLEET-${digits(number, 5)}`;

function customer(number) {
  const terms = number % TERMS;
  const [list, warehouse] = PLACES[terms % PLACES.length];
  return {
    CustomerCode: codeOf(number),
    CustomerName: `Shop ${number} of the fleet`,
    PriceListCode: list,
    WarehouseCode: warehouse,
    DiscountPercentage: DISCOUNTS[Math.floor(terms / PLACES.length)],
    RequestsPerMinute: null,
    RequestsPerHour: null,
  };
}
