import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { identityOf } from '../auth/identity.js';
import { customerNotFound } from '../http/api-error.js';
import type { CustomerScope } from './customer-scope.js';
import { CustomerScopeService } from './customer-scope.service.js';

const scopes = new WeakMap<Request, CustomerScope>();

/** Finds the customer of the access token and hands its terms to the handler. @throws 404 where there is none. */
@Injectable()
export class CustomerScopeGuard implements CanActivate {
  constructor(private readonly customers: CustomerScopeService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const identity = identityOf(request);
    const scope = identity.kind === 'customer' && (await this.customers.find(identity.customerCode));
    if (!scope) throw customerNotFound();
    scopes.set(request, scope);
    return true;
  }
}

/** The scope that {@link CustomerScopeGuard} found. @throws if the handler is not behind that guard. */
export const Scope = createParamDecorator((_data: unknown, context: ExecutionContext): CustomerScope => {
  const scope = scopes.get(context.switchToHttp().getRequest<Request>());
  if (!scope) throw new Error('This handler is not behind the CustomerScopeGuard');
  return scope;
});
