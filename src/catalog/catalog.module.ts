import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ScopeModule } from '../scope/scope.module.js';
import { DownloadModule } from '../download/download.module.js';
import { CatalogController } from './catalog.controller.js';
import { CatalogService } from './catalog.service.js';
import { ProductAccessory } from './product-accessory.entity.js';
import { ProductComposition } from './product-composition.entity.js';
import { ProductImage } from './product-image.entity.js';
import { ProductSubstitution } from './product-substitution.entity.js';
import { ProductDocuments } from './product-documents.js';
import { Product } from './product.entity.js';

/** `GET /products`, and the stored documents that it is made of. */
@Module({
  imports: [
    ScopeModule,
    DownloadModule,
    TypeOrmModule.forFeature([Product, ProductImage, ProductAccessory, ProductSubstitution, ProductComposition]),
  ],
  controllers: [CatalogController],
  providers: [CatalogService, ProductDocuments],
  exports: [CatalogService, ProductDocuments],
})
export class CatalogModule {}
