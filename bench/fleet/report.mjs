// Prints the results of the fleet.
import { report, reportRows } from '../report.mjs';
import { aDay, callsOfADay } from './costs.mjs';

const DAY = 86_400;
/** The kind of a request for data, up to its status. */
const DATA_REQUEST = /^(?:products|prices|stock|stock\/changes) /;

/** Prints the cost of each kind of request, measured alone. */
export function reportCosts(costs) {
  console.log('Cost of each kind of request, sent one after another, and requests of one customer per day:');
  const times = { ...callsOfADay('stock/changes'), ...callsOfADay('stock') };
  reportRows(mapped(costs, (kind, cost) => costRow(cost, times[kind])));
  for (const stock of ['stock', 'stock/changes'])
    for (const [part, key] of Object.entries({ service: 'cpu', database: 'databaseCpu' })) {
      const seconds = aDay(costs, stock, key);
      report(`CPU seconds of the ${part} per customer and day, with /${stock}`, seconds);
      report(`Customers per half a core of the ${part}, with /${stock}`, DAY / 2 / seconds);
    }
}

/** Prints the results of the whole simulation. */
export function reportFleet({ customers, speed, seconds, calls, cpu, databaseCpu, peak, deliveries }) {
  console.log(`${customers} customers, at ${speed} times real time, for ${seconds} s:`);
  reportRows(mapped(calls, (_kind, call) => callRow(call, seconds)));
  report('Requests/s', sumOf(calls, /./) / seconds);
  report('Share of 304 among polls of data', sumOf(calls, / 304$/) / sumOf(calls, DATA_REQUEST));
  report('Refused or broken requests', sumOf(calls, / (?!200|304)\w+$/), { most: 0 });
  report('MB/s sent', sumOf(calls, /./, (call) => call.bytes) / seconds / 1e6);
  report('Imports of stock during the run', deliveries.length);
  report('CPU of the service, cores', cpu);
  report('CPU of the database, cores', databaseCpu);
  const held = sumOf(calls, new RegExp(`${DATA_REQUEST.source}200`), (call) => call.total);
  report('Downloads in progress, on average', held / seconds);
  report('Peak RSS of the service, MB', peak / 1e6);
}

const mapped = (rows, change) =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, change(name, row)]));

function sumOf(calls, kinds, figure = (call) => call.count) {
  const some = Object.entries(calls).filter(([kind]) => kinds.test(kind));
  return some.reduce((sum, [, call]) => sum + figure(call), 0);
}

function costRow({ seconds, cpu, databaseCpu, bytes }, times) {
  const row = { milliseconds: seconds, 'CPU, ms': cpu, 'CPU of the database, ms': databaseCpu };
  return { ...mapped(row, (_name, figure) => figure * 1000), kB: bytes / 1e3, 'per day': times };
}

function callRow({ count, bytes, p50, p95, p99 }, seconds) {
  const times = mapped({ 'p50, ms': p50, 'p95, ms': p95, 'p99, ms': p99 }, (_name, figure) => figure * 1000);
  return { count, 'per second': count / seconds, ...times, 'kB each': bytes / count / 1e3 };
}
