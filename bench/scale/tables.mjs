// The tables of docs/scale.md.
import { SIZES } from '../data-set.mjs';
import { table } from '../markdown.mjs';
import { aDay, coresFor, customersPerCore, enlarged, onPrimary } from './fleet-load.mjs';

/** The requests of the cost table, in its order. */
const REQUESTS = {
  products: '`/products` 200',
  productsCached: '`/products` 200, cached',
  prices: '`/prices` 200',
  pricesCached: '`/prices` 200, cached',
  stock: '`/stock` 200',
  changes: '`/stock/changes` 200',
  unchanged: 'any 304',
  token: 'token',
  version: '`/api/version`',
};
const STOCK_PATHS = { stock: '`/stock`', changes: '`/stock/changes`' };
const FLEETS = [10_000, 100_000];
/** Five eighths of the products of a data set are eligible for the customer. */
const ELIGIBLE = 5 / 8;
const MILLION = 1_000_000;

/** @param load see `warnOfLoad`. A busy machine makes every figure too large. */
export function conditions(machine, load, server) {
  return table(
    ['Condition', 'Value'],
    [
      ['Date', new Date().toISOString().slice(0, 10)],
      ['Machine', machine],
      ['Cores in use before the run', load.toFixed(1)],
      ['Database', server],
    ],
  );
}

/** One table for each size. */
export function costTables(costs) {
  return Object.entries(costs)
    .map(([size, some]) => {
      const rows = Object.entries(REQUESTS).map(([kind, name]) => [
        name,
        milliseconds(some[kind].cpu),
        milliseconds(some[kind].databaseCpu),
        kind === 'unchanged' ? '0' : bytes(some[kind].bytes),
      ]);
      return `${eligible(size)} eligible products:\n\n${table(['Measured', 'CPU of the service', 'CPU of the database', 'Sent'], rows)}`;
    })
    .join('\n\n');
}

/** What one customer and fleets of customers need, for each size and for a million eligible products. */
export function fleetTables(costs) {
  const [largest] = Object.keys(costs).toReversed();
  const factor = MILLION / (SIZES[largest] * ELIGIBLE);
  const all = [
    ...Object.entries(costs).map(([size, some]) => [eligible(size), some]),
    ['1,000,000', enlarged(costs[largest], factor)],
  ];
  const cases = all.flatMap(([products, some]) =>
    Object.entries(STOCK_PATHS).map(([stock, path]) => {
      const sum = (figure) => aDay(some, stock, figure);
      return {
        products,
        path,
        service: sum(({ cpu }) => cpu),
        database: sum(({ databaseCpu }) => databaseCpu),
        primary: sum(onPrimary(some)),
        sent: sum((cost) => (cost === some.unchanged ? 0 : cost.bytes)),
      };
    }),
  );
  return {
    customers: table(
      [
        'Calculated: eligible products',
        'Polls',
        'CPU of the service',
        'CPU of the database',
        'Sent',
        'Customers per core of the service',
        '… of the database',
      ],
      cases.map(({ products, path, service, database, sent }) => [
        products,
        path,
        `${number(service)} s`,
        `${number(database)} s`,
        bytes(sent),
        thousands(customersPerCore(service)),
        thousands(customersPerCore(database)),
      ]),
    ),
    cores: table(
      [
        'Calculated: customers',
        'Eligible products',
        'Polls',
        'Cores of the service',
        'Cores of the database',
        '… of these on the primary, with read replicas',
      ],
      FLEETS.flatMap((fleet) =>
        cases.map(({ products, path, ...seconds }) => [
          thousands(fleet),
          products,
          path,
          ...['service', 'database', 'primary'].map((key) => number(coresFor(fleet, seconds[key]))),
        ]),
      ),
    ),
  };
}

export function replicaTable(setups) {
  return table(
    [
      'Measured',
      'CPU of the service per 304',
      '… of the database',
      '… of Redis',
      'Idle CPU of the service',
      'Idle CPU of the database',
    ],
    Object.entries(setups).map(([name, { cpu, databaseCpu, redisCpu, idleService, idleDatabase }]) => [
      name,
      milliseconds(cpu),
      milliseconds(databaseCpu),
      redisCpu === undefined ? '–' : milliseconds(redisCpu),
      `${number(idleService * 100)} %`,
      `${number(idleDatabase * 100)} %`,
    ]),
  );
}

export function slowTable({ clients, bytesPerSecond }, { spool, connections, memory, cpu }) {
  return table(
    ['Measured, with slow clients', 'Value'],
    [
      ['clients that read `/products` uncompressed', String(clients)],
      ['speed of each client', `${bytesPerSecond / 1000} kB/s`],
      ['space in the spool', bytes(spool)],
      ['database connections that they hold', String(connections)],
      ['growth of the memory of the service', bytes(memory)],
      ['CPU of the service per client', milliseconds(cpu)],
    ],
  );
}

const eligible = (size) => thousands(SIZES[size] * ELIGIBLE);
const thousands = (value) => Number(value.toPrecision(3)).toLocaleString('en-US');
/** Two significant digits. Unknown figures are shown as a dash. */
const number = (value) => (Number.isFinite(value) ? Number(value.toPrecision(2)).toLocaleString('en-US') : '–');
const milliseconds = (seconds) => (Number.isFinite(seconds) ? `${number(seconds * 1000)} ms` : '–');

function bytes(value) {
  if (!Number.isFinite(value)) return '–';
  const [unit, power] = [
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
    ['B', 1],
  ].find(([, least]) => value >= least) ?? ['B', 1];
  return `${number(value / power)} ${unit}`;
}
