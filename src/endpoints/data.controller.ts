import { Controller, Get, Res, type Type, UseGuards } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Response } from 'express';
import { ChangesSource } from '../changes/changes-source.js';
import { DownloadService } from '../download/download.service.js';
import type { Elements } from '../download/elements.js';
import type { ResponseSource } from '../download/response-source.js';
import { WholeSource } from '../download/whole-source.js';
import { validatorOf } from '../http/validator.js';
import { keysOf } from '../resource/field.decorator.js';
import { serializationHash } from '../resource/serialization-hash.js';
import { type Schema, schemaOf } from '../schema/schema.js';
import { CustomerScopeGuard, Scope } from '../scope/customer-scope.guard.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import { contentPartsOf, type DataEndpoint, hasChanges } from './data-endpoint.js';
import { deprecationHeaders } from './deprecation.js';
import { TableElements } from './table-elements.js';

/** Creates the controllers of a data endpoint: for its elements, for its `/changes` if it has one, and for its schema. */
export function dataControllers(endpoint: DataEndpoint): Type[] {
  const { path, resource, isCacheable = true } = endpoint;
  const content = { path, serializationHash: serializationHash(resource), dependsOn: contentPartsOf(endpoint) };
  const whole = (elements: Elements) => new WholeSource(content, elements, keysOf(resource), isCacheable);
  const changes = (elements: Elements) => new ChangesSource(content, elements);
  return [
    sourceController(endpoint, path, whole),
    ...(hasChanges(endpoint) ? [sourceController(endpoint, `${path}/changes`, changes)] : []),
    schemaController(endpoint, `${path}/schema`, schemaOf(path, resource)),
  ];
}

/** Creates a controller that sends what a source makes of the elements of an endpoint. */
function sourceController(
  endpoint: DataEndpoint,
  path: string,
  sourceOf: (elements: Elements) => ResponseSource,
): Type {
  const announcement = announcementOf(endpoint);

  @Controller(path)
  class SourceController {
    private readonly source: ResponseSource;

    constructor(
      private readonly downloads: DownloadService,
      modules: ModuleRef,
    ) {
      const { source } = endpoint;
      this.source = sourceOf(source ? modules.get(source, { strict: false }) : new TableElements(endpoint));
    }

    @Get()
    @UseGuards(CustomerScopeGuard)
    read(@Scope() scope: CustomerScope, @Res() response: Response): Promise<void> {
      return this.downloads.send(response.set(announcement), scope, this.source);
    }
  }

  return SourceController;
}

/** Creates a controller that returns the same schema to all customers until the next release. */
function schemaController(endpoint: DataEndpoint, path: string, schema: Schema): Type {
  const headers = { ...announcementOf(endpoint), ...validatorOf(schema) };

  @Controller(path)
  class SchemaController {
    /** The response is a 304 if the client has the schema. */
    @Get()
    read(@Res({ passthrough: true }) response: Response): Schema {
      response.set(headers);
      return schema;
    }
  }

  return SchemaController;
}

/** Returns the headers that announce the removal of an endpoint, if it is deprecated. */
function announcementOf({ path, deprecated }: DataEndpoint): Record<string, string> {
  return deprecated ? deprecationHeaders(path, deprecated) : {};
}
