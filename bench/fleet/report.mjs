// What the fleet found, for people.
import { report, reportRows } from '../report.mjs';
import { aDay, CALLS_A_DAY } from './costs.mjs';

const DAY = 86_400;

/** What was measured of each kind of call, alone. */
export function reportCosts(costs) {
  console.log('What a call costs, one after the other, and how often a customer makes it:');
  reportRows(mapped(costs, (kind, cost) => costRow(cost, CALLS_A_DAY[kind])));
  for (const [who, key] of Object.entries({ service: 'cpu', database: 'databaseCpu' })) {
    const seconds = aDay(costs, key);
    report(`CPU seconds of the ${who} for a customer a day`, seconds);
    report(`Customers that half a core carries for the ${who}`, DAY / 2 / seconds);
  }
}

/** What was measured of all together. */
export function reportFleet({ customers, speed, seconds, calls, cpu, databaseCpu, peak, deliveries }) {
  console.log(`${customers} customers, ${speed} times as fast as life, for ${seconds} s:`);
  reportRows(mapped(calls, (_kind, call) => callRow(call, seconds)));
  const data = /^(products|prices|stock) /;
  report('Requests/s', sumOf(calls, /./) / seconds);
  report('Share of 304 among polls of data', sumOf(calls, / 304$/) / sumOf(calls, data));
  report('Refused or broken off', sumOf(calls, / (?!200|304)\w+$/), { most: 0 });
  report('MB/s sent', sumOf(calls, /./, (call) => call.bytes) / seconds / 1e6);
  report('Imports of stock meanwhile', deliveries.length);
  report('CPU of the service, cores', cpu);
  report('CPU of the database, cores', databaseCpu);
  const held = sumOf(calls, /^(products|prices|stock) 200/, (call) => call.total);
  report('Downloads under way, on average', held / seconds);
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
  return { ...mapped(row, (_name, figure) => figure * 1000), kB: bytes / 1e3, 'times a day': times };
}

function callRow({ count, bytes, p50, p95, p99 }, seconds) {
  const times = mapped({ 'p50, ms': p50, 'p95, ms': p95, 'p99, ms': p99 }, (_name, figure) => figure * 1000);
  return { count, 'a second': count / seconds, ...times, 'kB each': bytes / count / 1e3 };
}
