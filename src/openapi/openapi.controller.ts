import { Controller, Get, NotFoundException, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { join } from 'node:path';
import { openApiDocument } from './document.js';

/** The build copies this folder to `dist/`, beside the bundle, and adds the files of Swagger UI. */
const PAGE = join(import.meta.dirname, 'page');
const FILES = new Set(['index.html', 'page.css', 'start.js', 'swagger-ui.css', 'swagger-ui-bundle.js']);

/** The page may load nothing from other origins. */
const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** The OpenAPI document, and a page that shows it. Both are on the management port. */
@Controller()
export class OpenApiController {
  private readonly document = openApiDocument();

  @Get('openapi.json')
  read(): object {
    return this.document;
  }

  @Get('docs')
  page(@Res() response: Response): void {
    this.file('index.html', response);
  }

  @Get('docs/:file')
  file(@Param('file') file: string, @Res() response: Response): void {
    if (!FILES.has(file)) throw new NotFoundException();
    response.set('Content-Security-Policy', POLICY).sendFile(file, { root: PAGE });
  }
}
