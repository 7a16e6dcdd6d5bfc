import { Module, type ModuleMetadata, type Type } from '@nestjs/common';
import { DownloadModule } from '../download/download.module.js';
import { ScopeModule } from '../scope/scope.module.js';
import type { DataEndpoint } from './data-endpoint.js';
import { dataControllers } from './data.controller.js';

const declarations = new WeakMap<object, DataEndpoint>();

/**
 * Declares a feature module with one data endpoint. The module gets the controller of the endpoint.
 * @param metadata what else Nest's `Module` takes, such as the provider that the `source` of the endpoint names
 */
export function DataModule(endpoint: DataEndpoint, { imports = [], ...metadata }: ModuleMetadata = {}): ClassDecorator {
  const declareModule = Module({
    ...metadata,
    imports: [ScopeModule, DownloadModule, ...imports],
    controllers: dataControllers(endpoint),
  });
  return (module) => {
    declarations.set(module, endpoint);
    declareModule(module);
  };
}

/** The endpoint that a module declares. @throws if it is no {@link DataModule} */
export function endpointOf(module: Type): DataEndpoint {
  const endpoint = declarations.get(module);
  if (!endpoint) throw new Error(`${module.name} declares no data endpoint: decorate it with @DataModule`);
  return endpoint;
}
