import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { identityOf } from '../auth/identity.js';
import { quotaExceeded } from '../http/api-error.js';
import { QuotaService } from './quota.service.js';

/** Counts every request, once, before any answer to it is made, and refuses it where its quota is exhausted. */
@Injectable()
export class QuotaMiddleware implements NestMiddleware {
  constructor(private readonly quotas: QuotaService) {}

  async use(request: Request, response: Response, next: NextFunction): Promise<void> {
    const identity = identityOf(request);
    const verdict = await this.quotas.meter(identity.kind === 'customer' ? identity : undefined);
    const { admitted, window, remaining, endsAt, retryAfter } = verdict;
    response.setHeader('X-Rate-Limit-Limit', window.name);
    response.setHeader('X-Rate-Limit-Remaining', String(remaining));
    response.setHeader('X-Rate-Limit-Reset', new Date(endsAt).toISOString());
    // Whose quota it is could not be found out: it ends in an error of ours anyway, and nobody is told to wait an hour.
    const admit = admitted || identity.kind === 'unverified';
    next(admit ? undefined : quotaExceeded(window.limit, window.name, retryAfter));
  }
}
