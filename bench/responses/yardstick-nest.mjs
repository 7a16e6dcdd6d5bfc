// A yardstick: a NestJS application whose controller returns entities.
import { Controller, Get } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import 'reflect-metadata';

/** @param {() => Promise<object[]>} findProducts @returns {Promise<string>} its URL */
export async function startNest(findProducts) {
  class ProductsController {
    products() {
      return findProducts();
    }
  }
  // Node has no decorators, so these lines do what they do.
  const handler = Object.getOwnPropertyDescriptor(ProductsController.prototype, 'products');
  Get('products')(ProductsController.prototype, 'products', handler);
  Controller()(ProductsController);
  const app = await NestFactory.create({ module: App, controllers: [ProductsController] }, { logger: false });
  await app.listen(0, '127.0.0.1');
  return app.getUrl();
}

/** Nest identifies a module by a function. */
function App() {}
