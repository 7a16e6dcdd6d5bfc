import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Customer } from './customer.entity.js';
import { CustomerScopeGuard } from './customer-scope.guard.js';
import { CustomerScopeService } from './customer-scope.service.js';
import { CustomersService } from './customers.service.js';

/** Customers: what each may see, and how operators keep their records. */
@Module({
  imports: [TypeOrmModule.forFeature([Customer])],
  providers: [CustomerScopeGuard, CustomerScopeService, CustomersService],
  exports: [CustomerScopeGuard, CustomerScopeService, CustomersService],
})
export class CustomersModule {}
