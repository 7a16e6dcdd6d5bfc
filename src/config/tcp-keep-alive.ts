/**
 * A connection to a database or to Redis that is idle for this many milliseconds sends a TCP keep-alive packet. Firewalls
 * drop connections that are idle for minutes, and most of them count the packet as use (docs/decisions.md#120).
 */
export const TCP_KEEP_ALIVE_MS = 10_000;
