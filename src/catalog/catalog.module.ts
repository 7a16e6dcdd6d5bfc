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
      'Every product of the price list that is not `OBSOLETE`, ordered by SKU, with its images, accessories, ' +
      'substitutions, composition and net price. The body can be many megabytes: read it as a stream. ' +
      'Delete products that are absent.',
  },
  { providers: [CatalogService, ProductDocuments], exports: [CatalogService, ProductDocuments] },
)
export class CatalogModule {}
