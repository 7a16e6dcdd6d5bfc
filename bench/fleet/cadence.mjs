// The polling intervals of a customer (interface §6) and how long it uses a token, in seconds.

const DAY = 86_400;

/** The shortest and the longest time between two polls of a path. */
export const EVERY = {
  products: [DAY, DAY],
  prices: [DAY, DAY],
  stock: [900, 1_800],
  'api/version': [DAY, DAY],
};

/** A token expires after an hour. A client renews it a few minutes earlier. */
export const TOKEN_SECONDS = 3_300;

/** The time between two deliveries of the wholesaler's system. */
export const DELIVERY_SECONDS = 1_800;

/** The polls of one customer in a day. */
export function callsADay(path) {
  const [least, most] = EVERY[path];
  return (2 * DAY) / (least + most);
}

/** Stock is polled so often that the first stock poll after TOKEN_SECONDS renews the token. */
export const TOKENS_A_DAY = DAY / (TOKEN_SECONDS + 1 / (2 * (callsADay('stock') / DAY)));

/** The share of stock polls that find a new delivery. */
export const STOCK_CHANGED = Math.min(1, DAY / DELIVERY_SECONDS / callsADay('stock'));
