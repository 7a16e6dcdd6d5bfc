import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { provenCustomer } from '../auth/identity.js';
import { PUBLIC } from '../auth/public.decorator.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { elementPathsOf } from '../endpoints/data-endpoint.js';
import { DATA_ENDPOINTS } from '../endpoints/data-endpoints.js';
import { sandboxCustomers } from './customers.js';

const DATA_PATHS = new Set(DATA_ENDPOINTS.flatMap(elementPathsOf));

/** Gives the requests of some customers their outcome, after they were counted. It affects no other request. */
@Injectable()
export class SandboxGuard implements CanActivate {
  private readonly customers;

  constructor(
    private readonly reflector: Reflector,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.customers = sandboxCustomers(settings);
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const customer = this.customers.get(provenCustomer(request)?.customerCode ?? '');
    if (!customer) return true;
    if (this.reflector.getAllAndOverride(PUBLIC, [context.getHandler(), context.getClass()])) return true;
    if (customer.on === 'data' && !DATA_PATHS.has(request.path)) return true;
    customer.outcome(request, context.switchToHttp().getResponse<Response>());
    return true;
  }
}
