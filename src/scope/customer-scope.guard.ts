import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { identityOf } from '../auth/identity.js';
import { customerNotFound } from '../http/api-error.js';
import type { CustomerScope } from './customer-scope.js';
import { CustomerScopeService } from './customer-scope.service.js';

const scopes = new WeakMap<Request, CustomerScope>();

/** Finds the customer of the access token and passes its scope to the handler. @throws 404, or 401 for a revoked token */
@Injectable()
export class CustomerScopeGuard implements CanActivate {
  constructor(private readonly customers: CustomerScopeService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const identity = identityOf(request);
    if (identity.kind !== 'customer') throw customerNotFound();
    scopes.set(request, await this.customers.current(identity));
    return true;
  }
}

/** Injects the scope that {@link CustomerScopeGuard} found. @throws if the handler does not use that guard */
export const Scope = createParamDecorator((_data: unknown, context: ExecutionContext): CustomerScope => {
  const scope = scopes.get(context.switchToHttp().getRequest<Request>());
  if (!scope) throw new Error('This handler has no scope: add @UseGuards(CustomerScopeGuard)');
  return scope;
});
