import { Controller, Get, Res, type Type, UseGuards } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Response } from 'express';
import { ChangesSource } from '../changes/changes-source.js';
import type { Content } from '../download/content.js';
import { DownloadService } from '../download/download.service.js';
import type { Elements } from '../download/element-source.js';
import type { ResponseSource } from '../download/response-source.js';
import { WholeSource } from '../download/whole-source.js';
import { setValidator } from '../http/validator.js';
import { keysOf } from '../resource/field.decorator.js';
import { serializationHash } from '../resource/serialization-hash.js';
import { type Schema, schemaOf } from '../schema/schema.js';
import { CustomerScopeGuard, Scope } from '../scope/customer-scope.guard.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import { contentPartsOf, type DataEndpoint, hasChanges } from './data-endpoint.js';
import { TableElements } from './table-elements.js';

/** Creates the controllers of a data endpoint: for its elements and their schema, and for its `/changes` if it has one. */
export function dataControllers(endpoint: DataEndpoint): Type[] {
  return [dataController(endpoint), ...(hasChanges(endpoint) ? [changesController(endpoint)] : [])];
}

function dataController(endpoint: DataEndpoint): Type {
  const { path, resource, isCacheable = true } = endpoint;
  const content = contentOf(endpoint);
  const schema = schemaOf(path, resource);

  @Controller(path)
  class DataController {
    private readonly source: ResponseSource;

    constructor(
      private readonly downloads: DownloadService,
      modules: ModuleRef,
    ) {
      this.source = new WholeSource(content, elementsOf(endpoint, modules), keysOf(resource), isCacheable);
    }

    @Get()
    @UseGuards(CustomerScopeGuard)
    all(@Scope() scope: CustomerScope, @Res() response: Response): Promise<void> {
      return this.downloads.send(response, scope, this.source);
    }

    /** Returns the same for all customers until the next release. Express sends 304 if the client has it. */
    @Get('schema')
    describe(@Res({ passthrough: true }) response: Response): Schema {
      setValidator(response, schema);
      return schema;
    }
  }

  return DataController;
}

function changesController(endpoint: DataEndpoint): Type {
  const content = contentOf(endpoint);

  @Controller(`${endpoint.path}/changes`)
  class ChangesController {
    private readonly source: ResponseSource;

    constructor(
      private readonly downloads: DownloadService,
      modules: ModuleRef,
    ) {
      this.source = new ChangesSource(content, elementsOf(endpoint, modules));
    }

    @Get()
    @UseGuards(CustomerScopeGuard)
    changes(@Scope() scope: CustomerScope, @Res() response: Response): Promise<void> {
      return this.downloads.send(response, scope, this.source);
    }
  }

  return ChangesController;
}

function contentOf(endpoint: DataEndpoint): Content {
  const { path, resource } = endpoint;
  return { path, serializationHash: serializationHash(resource), dependsOn: contentPartsOf(endpoint) };
}

function elementsOf(endpoint: DataEndpoint, modules: ModuleRef): Elements {
  return endpoint.source ? modules.get(endpoint.source, { strict: false }) : new TableElements(endpoint);
}
