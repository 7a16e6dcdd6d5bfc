import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessTokenService } from './access-token.service.js';
import { ApiKey } from './api-key.entity.js';
import { ApiKeysService } from './api-keys.service.js';
import { AuthenticatedGuard } from './authenticated.guard.js';
import { ExpiringKeysService } from './expiring-keys.service.js';
import { IdentityMiddleware } from './identity.middleware.js';
import { JwtStrategy } from './jwt.strategy.js';
import { SigningKeys } from './signing-keys.js';
import { TokenDenylist } from './token-denylist.js';
import { TokenRequestMiddleware } from './token-request.middleware.js';
import { TokenController } from './token.controller.js';

/** Exchanges credentials for access tokens and protects every route that is not public. */
@Module({
  imports: [TypeOrmModule.forFeature([ApiKey])],
  controllers: [TokenController],
  providers: [
    AccessTokenService,
    ApiKeysService,
    ExpiringKeysService,
    IdentityMiddleware,
    JwtStrategy,
    SigningKeys,
    TokenDenylist,
    TokenRequestMiddleware,
    { provide: APP_GUARD, useClass: AuthenticatedGuard },
  ],
  exports: [ApiKeysService, ExpiringKeysService, TokenDenylist],
})
export class AuthModule {}
