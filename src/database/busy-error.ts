/** No download slot or database connection became free within the wait setting. A later attempt can succeed. */
export class BusyError extends Error {}
