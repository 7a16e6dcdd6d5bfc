import { Controller, Get, Res, type Type, UseGuards } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Response } from 'express';
import { DownloadService } from '../download/download.service.js';
import type { ElementSource } from '../download/element-source.js';
import { setValidator } from '../http/validator.js';
import { keysOf } from '../resource/field.decorator.js';
import { serializationHash } from '../resource/serialization-hash.js';
import { type Schema, schemaOf } from '../schema/schema.js';
import { CustomerScopeGuard, Scope } from '../scope/customer-scope.guard.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import { type DataEndpoint, type Elements, contentPartsOf } from './data-endpoint.js';
import { TableElements } from './table-elements.js';

/** The controller of a data endpoint and of its schema endpoint. */
export function dataController(endpoint: DataEndpoint): Type {
  const { path, resource, source, isCacheable = true } = endpoint;
  const content = {
    isCacheable,
    serializationHash: serializationHash(resource),
    keys: keysOf(resource),
    dependsOn: contentPartsOf(endpoint),
  };
  const schema = schemaOf(path, resource);

  @Controller(path)
  class DataController {
    private readonly source: ElementSource;

    constructor(
      private readonly downloads: DownloadService,
      modules: ModuleRef,
    ) {
      const reader: Elements = source ? modules.get(source, { strict: false }) : new TableElements(endpoint);
      this.source = {
        ...content,
        elements: reader.elements.bind(reader),
        lastSku: reader.lastSku.bind(reader),
      };
    }

    @Get()
    @UseGuards(CustomerScopeGuard)
    all(@Scope() scope: CustomerScope, @Res() response: Response): Promise<void> {
      return this.downloads.send(response, scope, this.source);
    }

    /** The same for all customers until the next release. Express returns 304 if the client has it. */
    @Get('schema')
    describe(@Res({ passthrough: true }) response: Response): Schema {
      setValidator(response, schema);
      return schema;
    }
  }

  return DataController;
}
