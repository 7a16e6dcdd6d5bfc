import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { LIFETIME_SECONDS } from './access-token-claims.js';
import { AccessTokenService } from './access-token.service.js';
import { Public } from './public.decorator.js';
import { authenticatedClient } from './token-request.middleware.js';

/** The response of `POST /auth/token` (RFC 6749 §5.1). */
interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  /** Seconds. */
  expires_in: number;
}

@Controller('auth')
export class TokenController {
  constructor(private readonly tokens: AccessTokenService) {}

  @Public()
  @Post('token')
  @HttpCode(200)
  token(@Req() request: Request): TokenResponse {
    const customer = authenticatedClient(request);
    return { access_token: this.tokens.issue(customer), token_type: 'Bearer', expires_in: LIFETIME_SECONDS };
  }
}
