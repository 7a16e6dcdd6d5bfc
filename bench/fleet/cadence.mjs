// How often a customer asks (interface §6), in seconds, and for how long it uses a token.

const DAY = 86_400;

/** Between two polls of the same, at least and at most. The version is noticed once a day. */
export const EVERY = {
  products: [DAY, DAY],
  prices: [DAY, DAY],
  stock: [900, 1_800],
  'api/version': [DAY, DAY],
};

/** It is renewed a few minutes before it expires after an hour. */
export const TOKEN_SECONDS = 3_300;

/** How often the wholesaler's system delivers stock. */
export const DELIVERY_SECONDS = 1_800;

/** How often one customer asks in a day. */
export function callsADay(path) {
  const [least, most] = EVERY[path];
  return (2 * DAY) / (least + most);
}

/** Stock is asked for so often that a token is renewed at the first poll after its time. */
export const TOKENS_A_DAY = DAY / (TOKEN_SECONDS + 1 / (2 * (callsADay('stock') / DAY)));

/** The share of stock polls that find a new delivery. */
export const STOCK_CHANGED = Math.min(1, DAY / DELIVERY_SECONDS / callsADay('stock'));
