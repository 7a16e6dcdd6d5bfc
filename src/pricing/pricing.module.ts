import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ScopeModule } from '../scope/scope.module.js';
import { DownloadModule } from '../download/download.module.js';
import { PriceList } from './price-list.entity.js';
import { PricingController } from './pricing.controller.js';
import { PricingService } from './pricing.service.js';
import { ProductPrice } from './product-price.entity.js';

/** `GET /prices`. */
@Module({
  imports: [ScopeModule, DownloadModule, TypeOrmModule.forFeature([PriceList, ProductPrice])],
  controllers: [PricingController],
  providers: [PricingService],
})
export class PricingModule {}
