import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { tokenInvalid, tokenMissing } from '../http/api-error.js';
import { identityOf } from './identity.js';
import { PUBLIC } from './public.decorator.js';

/** Refuses every request without a valid token, unless its handler is public. */
@Injectable()
export class AuthenticatedGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.reflector.getAllAndOverride(PUBLIC, [context.getHandler(), context.getClass()])) return true;
    const identity = identityOf(context.switchToHttp().getRequest<Request>());
    if (identity.kind === 'none') throw tokenMissing();
    if (identity.kind === 'invalid') throw tokenInvalid(identity.reason);
    return true;
  }
}
