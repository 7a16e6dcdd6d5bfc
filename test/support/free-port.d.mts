/** Returns a port that is free at this moment, and that no client connection takes. */
export function freePort(): Promise<number>;
