import { DataModule } from '../endpoints/data-module.js';
import { CatalogService } from './catalog.service.js';
import { ProductDocuments } from './product-documents.js';
import { Product } from './product.entity.js';

@DataModule(
  {
    path: '/products',
    resource: Product,
    source: CatalogService,
    hasChanges: true,
    tag: 'Products',
    summary: 'All products of the customer',
    description:
      'Every product of the price list that is not `OBSOLETE`, with its images, accessories, substitutions, ' +
      'composition and net price, by SKU. Many megabytes: read it as a stream. What is absent is gone.',
  },
  { providers: [CatalogService, ProductDocuments], exports: [CatalogService, ProductDocuments] },
)
export class CatalogModule {}
