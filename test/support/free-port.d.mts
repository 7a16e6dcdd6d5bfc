/** Returns a port that is free at this moment, below the default range of client connections. */
export function freePort(): Promise<number>;
