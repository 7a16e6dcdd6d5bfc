/** The service has no slot or connection to give within the wait setting. A later attempt may well succeed. */
export class BusyError extends Error {}
