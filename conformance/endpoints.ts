/** The endpoints of interface §4 that answer GET. */
export const PROTECTED = [
  '/products',
  '/stock',
  '/prices',
  '/products/schema',
  '/stock/schema',
  '/prices/schema',
] as const;
export const PUBLIC = ['/api/version', '/health'] as const;
export const ALL = [...PROTECTED, ...PUBLIC];

/** Those whose answers can be kept and asked for again (decision 72). */
export const VALIDATED = ALL.filter((path) => path !== '/health');

export const JSON_TYPE = 'application/json; charset=utf-8';
