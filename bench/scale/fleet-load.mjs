// Calculates what a fleet of customers needs, from the measured cost of each kind of request.
import { callsADay, STOCK_CHANGED, TOKENS_A_DAY } from '../fleet/cadence.mjs';

const DAY = 86_400;
/** Customers do not poll evenly: the cores must allow this many times the average. */
const PEAK = 2;

/** Requests of one customer per day. @param stock the kind of a poll that finds new stock: `stock` or `changes` */
const requestsADay = (stock) => ({
  productsCached: callsADay('products'),
  pricesCached: callsADay('prices'),
  [stock]: callsADay('stock') * STOCK_CHANGED,
  unchanged: callsADay('stock') * (1 - STOCK_CHANGED),
  version: callsADay('api/version'),
  token: TOKENS_A_DAY,
});

/** The sum of a figure over the requests of one customer per day. @param figure of a cost, such as its `cpu` in seconds */
export function aDay(costs, stock, figure) {
  return Object.entries(requestsADay(stock)).reduce((sum, [kind, times]) => sum + figure(costs[kind]) * times, 0);
}

/** Cores for this many customers at their peak. */
export const coresFor = (customers, secondsADay) => (customers * secondsADay * PEAK) / DAY;

/** Customers that one core serves at their peak. */
export const customersPerCore = (secondsADay) => DAY / PEAK / secondsADay;

/**
 * The part of the cost that stays on the primary if downloads read from read replicas: every request looks up terms and
 * versions there, as a 304 does.
 */
export const onPrimary = (costs) => (cost) => Math.min(cost.databaseCpu, costs.unchanged.databaseCpu);

/** The default of RESPONSE_CACHE_MEGABYTES. Larger responses are never cached. */
const CACHE_BYTES = 128e6;

/** A catalogue that is some times as large: whole responses cost as many times more. Changes and 304s cost the same. */
export function enlarged(costs, times) {
  const more = ({ cpu, databaseCpu, bytes }) => ({
    cpu: cpu * times,
    databaseCpu: databaseCpu * times,
    bytes: bytes * times,
  });
  const [products, prices, stock] = [costs.products, costs.prices, costs.stock].map(more);
  const cached = (kind, whole) => (whole.bytes > CACHE_BYTES ? whole : more(costs[kind]));
  const productsCached = cached('productsCached', products);
  return { ...costs, products, productsCached, prices, pricesCached: cached('pricesCached', prices), stock };
}
