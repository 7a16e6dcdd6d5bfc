import { Module } from '@nestjs/common';
import { CatalogService } from './catalog.service.js';
import { ProductDocuments } from './product-documents.js';

/** The elements of `GET /products`, and the stored documents that they are made of. */
@Module({ providers: [CatalogService, ProductDocuments], exports: [CatalogService, ProductDocuments] })
export class CatalogModule {}
