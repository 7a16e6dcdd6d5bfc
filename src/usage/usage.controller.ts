import { Controller, Get, Header, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { verdictOn } from '../quota/quota.middleware.js';
import { CustomerScopeGuard, KeyExpiry } from '../scope/customer-scope.guard.js';

/** The response of `GET /api/usage`. */
interface Usage {
  windows: WindowUsage[];
  /** ISO 8601 in UTC. Null: the key of the token never expires. */
  keyExpiresAt: string | null;
}

/** A quota window of the customer, after it counted this request. */
interface WindowUsage {
  /** The name of the window in `X-Rate-Limit-Limit`. */
  window: string;
  limit: number;
  used: number;
  remaining: number;
  /** ISO 8601 in UTC. */
  resetsAt: string;
}

@Controller('api/usage')
export class UsageController {
  /** Reads no quota: it returns the counts that decided on this request. The scope guard has read the key. */
  @Get()
  @UseGuards(CustomerScopeGuard)
  @Header('Cache-Control', 'no-store')
  read(@Req() request: Request, @KeyExpiry() keyExpiresAt: Date | null): Usage {
    return {
      windows: verdictOn(request).windows.map(({ window, hits, remaining, endsAt }) => ({
        window: window.name,
        limit: window.limit,
        used: hits,
        remaining,
        resetsAt: new Date(endsAt).toISOString(),
      })),
      keyExpiresAt: keyExpiresAt?.toISOString() ?? null,
    };
  }
}
