import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { type Identity, identityOf } from '../auth/identity.js';
import { type ApiError, quotaExceeded } from '../http/api-error.js';
import { SymbolProperty } from '../http/symbol-property.js';
import { TOKEN_PATH } from '../http/token-path.js';
import { QuotaService } from './quota.service.js';
import type { Verdict } from './verdict.js';

const verdicts = new SymbolProperty<Request, Verdict>('verdict');

/** Counts every request once, before the service makes a response, and refuses it if its quota is exceeded. */
@Injectable()
export class QuotaMiddleware implements NestMiddleware {
  constructor(private readonly quotas: QuotaService) {}

  async use(request: Request, response: Response, next: NextFunction): Promise<void> {
    const identity = identityOf(request);
    const verdict = await this.quotas.meter(identity.kind === 'customer' ? identity : undefined);
    verdicts.set(request, verdict);
    setQuotaHeaders(response, verdict);
    if (verdict.admitted || mayBeCustomer(request, identity)) return next();
    next(refusalBy(verdict));
  }
}

/** Sets the headers that describe a verdict. */
export function setQuotaHeaders(response: Response, { window, remaining, endsAt }: Verdict): void {
  response.setHeader('X-Rate-Limit-Limit', window.name);
  response.setHeader('X-Rate-Limit-Remaining', String(remaining));
  response.setHeader('X-Rate-Limit-Reset', new Date(endsAt).toISOString());
}

/** Returns the error of a request that is not admitted. */
export function refusalBy({ window, retryAfter }: Verdict): ApiError {
  return quotaExceeded(window.limit, window.name, retryAfter);
}

/** Returns the verdict on a counted request. @throws if the request was not counted */
export function verdictOn(request: Request): Verdict {
  const verdict = verdicts.get(request);
  if (!verdict) throw new Error('This request was not counted');
  return verdict;
}

/**
 * Whether the request may be a customer's although it counts in the anonymous bucket. A customer must not wait because
 * strangers exhausted that bucket. If the credentials could not be checked, the response is 500 (decision 88). If the
 * token was valid once, the response is the 401 that makes the client request a new one (decision 122). For a token
 * request, only the credentials decide which bucket counts.
 */
function mayBeCustomer({ path }: Request, identity: Identity): boolean {
  if (identity.kind === 'unverified') return true;
  return identity.kind === 'invalid' && identity.wasValid && path !== TOKEN_PATH;
}
