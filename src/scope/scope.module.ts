import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CustomerScopeGuard } from './customer-scope.guard.js';
import { CustomerScopeService } from './customer-scope.service.js';

/** What the customer of a request may see, and at which terms. */
@Module({
  imports: [AuthModule],
  providers: [CustomerScopeGuard, CustomerScopeService],
  exports: [CustomerScopeGuard, CustomerScopeService],
})
export class ScopeModule {}
