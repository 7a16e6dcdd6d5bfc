import { hasChanges } from '../../src/endpoints/data-endpoint.js';
import { DATA_ENDPOINTS } from '../../src/endpoints/data-endpoints.js';

/** The paths of all data endpoints, as the registry has them. `test/scope.e2e.ts` compares them with the routes. */
export const DATA = DATA_ENDPOINTS.map(({ path }) => path);
export const SCHEMAS = DATA.map((path) => `${path}/schema`);

/** The paths of the endpoints that also return what has changed, and the paths of these changes. */
export const CHANGING = DATA_ENDPOINTS.filter(hasChanges).map(({ path }) => path);
export const CHANGES = CHANGING.map((path) => `${path}/changes`);
