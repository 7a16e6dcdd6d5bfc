/** Returns a port that is free at this moment. */
export function freePort(): Promise<number>;
