import type { Request } from 'express';
import { createHash } from 'node:crypto';
import { SymbolProperty } from '../http/symbol-property.js';

/** Longest Customer Code. A longer client ID cannot be one. */
const MAX_CODE = 64;
/** An API key has 44 of these characters, and few Customer Codes have this many. */
const SECRET_CHARACTERS = 24;
/** Length of the digest that replaces a client ID that may be a secret. It identifies a key, but does not reveal it. */
const DIGEST_LENGTH = 12;

const sent = new SymbolProperty<Request, string>('sent client ID');

/** Records the client ID of a token request before it is verified. */
export function recordClientId(request: Request, clientId: string | undefined): void {
  if (clientId) sent.set(request, clientId);
}

/** The client ID that a token request sent, in a form that may be logged. Undefined if the request sent none. */
export function unprovenClientId(request: Request): string | undefined {
  const clientId = sent.get(request);
  return clientId === undefined ? undefined : loggable(clientId);
}

/**
 * Returns a client ID unchanged, except for escaped control characters. If it may be a secret, because a client can put
 * an API key or a token into the wrong field, the result has its length and the start of its SHA-256 instead. The table
 * `api_keys` has the same SHA-256 of each key.
 */
export function loggable(clientId: string): string {
  const secretCharacters = clientId.match(/[A-Za-z0-9+/=_]/g)?.length ?? 0;
  if (clientId.length <= MAX_CODE && secretCharacters < SECRET_CHARACTERS) return escaped(clientId);
  const digest = createHash('sha256').update(clientId).digest('hex').slice(0, DIGEST_LENGTH);
  return `${clientId.length} characters, SHA-256 ${digest}…`;
}

/**
 * Escapes characters that could forge a log line, control a terminal, hide the order of other characters, or look like
 * no character or a space. It escapes the backslash too, so that no client ID can look like an escaped one.
 */
function escaped(text: string): string {
  return text.replace(/(?! )[\p{C}\p{Z}\p{DI}\\]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
