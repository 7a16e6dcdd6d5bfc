import { Module, type ModuleMetadata, type Type } from '@nestjs/common';
import { DownloadModule } from '../download/download.module.js';
import { ScopeModule } from '../scope/scope.module.js';
import type { DataEndpoint } from './data-endpoint.js';
import { dataControllers } from './data.controller.js';

const declarations = new WeakMap<object, DataEndpoint>();

/**
 * Declares a feature module with one data endpoint, and adds the controllers of the endpoint.
 * @param metadata further options of Nest's `Module`, such as the provider that the `source` of the endpoint names
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

/** Returns the endpoint that a module declares. @throws if the module has no {@link DataModule} decorator */
export function endpointOf(module: Type): DataEndpoint {
  const endpoint = declarations.get(module);
  if (!endpoint) throw new Error(`${module.name} declares no data endpoint: decorate it with @DataModule`);
  return endpoint;
}
