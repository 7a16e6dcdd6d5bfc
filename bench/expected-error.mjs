/** An error whose message says how to fix it, so that its stack does not matter. */
export class ExpectedError extends Error {}
