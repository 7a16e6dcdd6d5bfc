import type { Request, Response } from 'express';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortConnection } from '../http/abort.js';
import type { Outcome } from './errors.js';

/** The time in which the first half of a body reaches the client, in milliseconds. */
const HALF_MS = 200;

/** Sends half of the body, then resets the connection. */
export const truncate: Outcome = (request, response) =>
  sendLater(request, response, async (body) => {
    response.write(body.subarray(0, Math.floor(body.length / 2)));
    await sleep(HALF_MS);
    abortConnection(request.socket, 'error');
  });

/** Returns an outcome that sends the body at this rate, in pieces of a second. */
export function trickle(bytesPerSecond: number): Outcome {
  return (request, response) =>
    sendLater(request, response, async (body) => {
      for (let start = 0; start < body.length && !response.destroyed; start += bytesPerSecond) {
        response.write(body.subarray(start, start + bytesPerSecond));
        await sleep(1000);
      }
      response.end();
    });
}

/**
 * Collects the body of a 200 until it is complete, and then sends it in another way. The bodies of a sandbox fit into
 * memory. The response always has a body, because the request loses its `If-None-Match`.
 */
function sendLater(request: Request, response: Response, send: (body: Buffer) => Promise<void>): void {
  if (request.method !== 'GET') return;
  delete request.headers['if-none-match'];
  const { write, end } = response;
  const pieces: Buffer[] = [];
  response.write = (piece: string | Buffer) => {
    pieces.push(Buffer.from(piece as Buffer));
    return true;
  };
  response.end = ((...last: Parameters<typeof end>) => {
    Object.assign(response, { write, end });
    if (response.statusCode !== 200) return response.end(...last);
    void send(Buffer.concat(pieces));
    return response;
  }) as typeof end;
}
