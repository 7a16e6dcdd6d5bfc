import { Module } from '@nestjs/common';
import { CatalogueCheckService } from './catalogue-check.service.js';

/** Checks the catalogue for probable mistakes. */
@Module({
  providers: [CatalogueCheckService],
  exports: [CatalogueCheckService],
})
export class CheckModule {}
