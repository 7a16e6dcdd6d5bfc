import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The published interface. The suite must not read its expectations from the deployment under test. */
const DOCUMENT = resolve(import.meta.dirname, '../docs/openapi.json');

type Operations = Record<string, { get?: { security: object[] } }>;
const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as { paths: Operations };

export type Path = `/${string}`;
const getPaths = Object.keys(paths).filter((path) => paths[path]!.get) as Path[];
const isProtected = (path: Path) => paths[path]!.get!.security.some((scheme) => 'accessToken' in scheme);

/** The GET endpoints of interface §4 that need a token. */
export const PROTECTED = getPaths.filter(isProtected);
/** The GET endpoints of interface §4 that need no token. */
export const PUBLIC = getPaths.filter((path) => !isProtected(path));
export const ALL = [...PROTECTED, ...PUBLIC];

/** The endpoints that return elements. Each has a schema endpoint. */
export const DATA_PATHS = PROTECTED.filter((path) => `${path}/schema` in paths);

/** The paths that return what changed in the elements (docs/decisions.md#179). */
export const CHANGES_PATHS = PROTECTED.filter((path) => path.endsWith('/changes'));

/** The paths whose responses are valid for one request only. */
const NOT_VALIDATED = new Set<Path>(['/health', '/api/usage', ...CHANGES_PATHS]);

/** The paths whose responses a client can keep and validate (docs/decisions.md#72). */
export const VALIDATED = ALL.filter((path) => !NOT_VALIDATED.has(path));

export const JSON_TYPE = 'application/json; charset=utf-8';
