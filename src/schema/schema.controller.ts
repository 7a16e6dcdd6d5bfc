import { Controller, Get } from '@nestjs/common';
import { Public } from '../auth/public.decorator.js';
import { Product } from '../catalog/product.entity.js';
import { StockEntry } from '../stock/stock-entry.entity.js';
import { API_VERSION, type Schema, schemaOf } from './schema.js';

@Controller()
export class SchemaController {
  private readonly products = schemaOf('/products', Product);
  private readonly stock = schemaOf('/stock', StockEntry);

  @Get('products/schema')
  productsSchema(): Schema {
    return this.products;
  }

  @Get('stock/schema')
  stockSchema(): Schema {
    return this.stock;
  }

  @Public()
  @Get('api/version')
  version(): { apiVersion: string } {
    return { apiVersion: API_VERSION };
  }
}
