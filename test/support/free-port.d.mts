/** A port that nothing listens on now. */
export function freePort(): Promise<number>;
