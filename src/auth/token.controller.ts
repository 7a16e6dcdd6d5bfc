import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { AccessTokenService, LIFETIME_SECONDS } from './access-token.service.js';
import { ApiKeysService } from './api-keys.service.js';
import { Public } from './public.decorator.js';
import { invalidClient } from './token-error.js';
import { readTokenRequest } from './token-request.js';

/** The answer of `POST /auth/token` (RFC 6749 §5.1). */
interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  /** Seconds. */
  expires_in: number;
}

@Controller('auth')
export class TokenController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly tokens: AccessTokenService,
  ) {}

  @Public()
  @Post('token')
  @HttpCode(200)
  async token(@Req() request: Request): Promise<TokenResponse> {
    const { clientId, clientSecret, basic } = readTokenRequest(request.headers, request.body);
    if (!(await this.keys.verify(clientId, clientSecret))) throw invalidClient(basic);
    return { access_token: this.tokens.issue(clientId), token_type: 'Bearer', expires_in: LIFETIME_SECONDS };
  }
}
