import { Module } from '@nestjs/common';
import { CatalogModule } from '../catalog/catalog.module.js';
import { DownloadModule } from '../download/download.module.js';
import { ScopeModule } from '../scope/scope.module.js';
import { DATA_ENDPOINTS } from './data-endpoints.js';
import { dataController } from './data.controller.js';

/** Every data endpoint, with its schema endpoint. */
@Module({
  imports: [ScopeModule, DownloadModule, CatalogModule],
  controllers: DATA_ENDPOINTS.map(dataController),
})
export class EndpointsModule {}
