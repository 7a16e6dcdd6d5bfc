import { Module } from '@nestjs/common';
import { CatalogueCheckService } from './catalogue-check.service.js';

/** What is probably wrong with the catalogue. */
@Module({
  providers: [CatalogueCheckService],
  exports: [CatalogueCheckService],
})
export class CheckModule {}
