import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ApiError } from '../http/api-error.js';
import { SymbolProperty } from '../http/symbol-property.js';
import { TOKEN_PATH } from '../http/token-path.js';
import { ApiKeysService } from './api-keys.service.js';
import { type CustomerIdentity, setIdentity } from './identity.js';
import { invalidClient, invalidRequest } from './token-error.js';
import { clientIdAsSent, readTokenRequest } from './token-request.js';
import { recordClientId } from './unproven-client-id.js';

/** Maximum size of the body, far more than any Customer Code and API key need. */
const LIMIT = '16kb';

/** The result of verifying a token request. */
type Outcome = { customer: CustomerIdentity } | { error: unknown };

const outcomes = new SymbolProperty<Request, Outcome>('token outcome');

/**
 * Verifies the credentials of token requests before metering, because they decide which quota counts the request. The
 * controller throws a refusal later, so that a refused request is metered as well.
 */
@Injectable()
export class TokenRequestMiddleware implements NestMiddleware {
  private readRawBody?: RequestHandler;

  constructor(private readonly keys: ApiKeysService) {}

  /**
   * Loads Express. Call it before the first request. Commands create this middleware, too, but without Express they start
   * earlier.
   */
  async prepare(): Promise<void> {
    const { raw } = await import('express');
    this.readRawBody = raw({ type: () => true, limit: LIMIT });
  }

  async use(request: Request, response: Response, next: NextFunction): Promise<void> {
    if (request.path !== TOKEN_PATH) return next();
    response.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
    if (request.method !== 'POST') return next();
    try {
      const customer = await this.verify(request, response);
      setIdentity(request, customer);
      outcomes.set(request, { customer });
    } catch (error) {
      if (!(error instanceof ApiError)) setIdentity(request, { kind: 'unverified' });
      outcomes.set(request, { error });
    }
    next();
  }

  private async verify(request: Request, response: Response): Promise<CustomerIdentity> {
    await this.readBody(request, response);
    recordClientId(request, clientIdAsSent(request.headers, request.body));
    const { clientId, clientSecret, basic } = readTokenRequest(request.headers, request.body);
    const customer = await this.keys.verify(clientId, clientSecret);
    if (!customer) throw invalidClient(basic);
    return customer;
  }

  private readBody(request: Request, response: Response): Promise<void> {
    return new Promise((resolve, reject) => {
      this.readRawBody!(request, response, (error?: unknown) => {
        const status = (error as { status?: number } | undefined)?.status ?? 400;
        if (error) reject(invalidRequest(`The body cannot be read: send a form of at most ${LIMIT}.`, status));
        else resolve();
      });
    });
  }
}

/** Returns the customer that a token request authenticated. @throws the error that verification found */
export function authenticatedClient(request: Request): CustomerIdentity {
  const outcome = outcomes.get(request);
  if (!outcome) throw new Error('The credentials of this request were not verified');
  if ('error' in outcome) throw outcome.error;
  return outcome.customer;
}
