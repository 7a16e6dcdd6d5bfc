import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { identityOf } from '../auth/identity.js';
import { customerNotFound } from '../http/api-error.js';
import { SymbolProperty } from '../http/symbol-property.js';
import type { CustomerScope } from './customer-scope.js';
import { type CurrentCustomer, CustomerScopeService } from './customer-scope.service.js';

const current = new SymbolProperty<Request, CurrentCustomer>('current customer');

/** Finds the customer of the access token and passes its scope to the handler. @throws 404, or 401 for a revoked token */
@Injectable()
export class CustomerScopeGuard implements CanActivate {
  constructor(private readonly customers: CustomerScopeService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const identity = identityOf(request);
    if (identity.kind !== 'customer') throw customerNotFound();
    current.set(request, await this.customers.current(identity));
    return true;
  }
}

/** Injects the scope that {@link CustomerScopeGuard} found. @throws if the handler does not use that guard */
export const Scope = createParamDecorator(
  (_data: unknown, context: ExecutionContext): CustomerScope => customerOf(context).scope,
);

/** Injects when the key of the request's token expires; null: never. @throws if the handler does not use that guard */
export const KeyExpiry = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Date | null => customerOf(context).keyExpiresAt,
);

function customerOf(context: ExecutionContext): CurrentCustomer {
  const customer = current.get(context.switchToHttp().getRequest<Request>());
  if (!customer) throw new Error('This handler has no customer: add @UseGuards(CustomerScopeGuard)');
  return customer;
}
