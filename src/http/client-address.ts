import type { Request } from 'express';
import { isIP } from 'node:net';

/**
 * Returns the address of the client. Express takes it from `X-Forwarded-For` if the request comes from a trusted proxy
 * (`TRUSTED_PROXIES`). The header may contain any text: if that is not an address, the result is the address of the
 * connection. Call this function before the connection closes.
 */
export function clientAddress(request: Pick<Request, 'ip' | 'socket' | 'headers'>): string | undefined {
  const { headers, socket } = request;
  // Without this header, `ip` is the address of the connection, but Express would still compare it with the proxies.
  const forwarded = headers['x-forwarded-for'] === undefined ? undefined : request.ip;
  return plainAddress(forwarded) ?? plainAddress(socket.remoteAddress);
}

/** More proxies than requests pass through. */
const MAX_HOPS = 10;

/** Whether an address is that of a trusted proxy. @param hop how many proxies are between it and the service */
type Trust = (address: string, hop: number) => boolean;

/**
 * Trusts no proxy that is further away. A client can send a header with a thousand trusted addresses, and to compare
 * them all takes milliseconds, before a quota counts the request.
 */
export function withinHops(isTrusted: Trust): Trust {
  return (address, hop) => hop < MAX_HOPS && isTrusted(address, hop);
}

/** Returns an address without its zone, and an IPv4 address without its IPv6 prefix. Undefined if it is no address. */
export function plainAddress(text = ''): string | undefined {
  const address = text.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/s, '');
  return isIP(address) ? address : undefined;
}
