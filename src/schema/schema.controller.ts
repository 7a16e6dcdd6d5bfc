import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../auth/public.decorator.js';
import { Product } from '../catalog/product.entity.js';
import { setValidator } from '../http/validator.js';
import { ProductPrice } from '../pricing/product-price.entity.js';
import { StockEntry } from '../stock/stock-entry.entity.js';
import { API_VERSION, type Schema, schemaOf } from './schema.js';

@Controller()
export class SchemaController {
  private readonly products = schemaOf('/products', Product);
  private readonly stock = schemaOf('/stock', StockEntry);
  private readonly prices = schemaOf('/prices', ProductPrice);

  @Get('products/schema')
  productsSchema(@Res({ passthrough: true }) response: Response): Schema {
    return validated(response, this.products);
  }

  @Get('stock/schema')
  stockSchema(@Res({ passthrough: true }) response: Response): Schema {
    return validated(response, this.stock);
  }

  @Get('prices/schema')
  pricesSchema(@Res({ passthrough: true }) response: Response): Schema {
    return validated(response, this.prices);
  }

  @Public()
  @Get('api/version')
  version(@Res({ passthrough: true }) response: Response): { apiVersion: string } {
    return validated(response, { apiVersion: API_VERSION });
  }
}

/** The same for everybody until the next release; Express makes a 304 of it for those that have it. */
function validated<T>(response: Response, body: T): T {
  setValidator(response, body);
  return body;
}
