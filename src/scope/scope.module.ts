import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CustomerScopeGuard } from './customer-scope.guard.js';
import { CustomerScopeService } from './customer-scope.service.js';

/** Finds the customer of a request, with its terms and the content parts that it may see. */
@Module({
  imports: [AuthModule],
  providers: [CustomerScopeGuard, CustomerScopeService],
  exports: [CustomerScopeGuard, CustomerScopeService],
})
export class ScopeModule {}
