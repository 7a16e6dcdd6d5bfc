// Bundles src/ and its packages into dist/, because loading 1,400 files took half of the start of a process. The bundle
// is not minified, so that stack traces name functions (docs/decisions.md#206). Of the comments in the sources, it keeps
// only those that are marked as legal (`@license`, `/*!`). Without the others, a process starts about 5 % faster.
import { transform } from '@swc/core';
import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/**
 * What the compiler emits for a parameter whose type is the `Request` or `Response` of Express. Only the type is
 * imported, so the expression reads the global class of the same name. Node then loads its whole HTTP client, which takes
 * 20 ms.
 */
const GLOBAL_CLASS = /typeof (Request|Response) === "undefined" \? Object : \1/g;

/** The compiler of the tests, with the same options from .swcrc. */
const swc = {
  name: 'swc',
  transform: {
    filter: { id: /\.ts$/ },
    handler: async (source, filename) => {
      const { code, map } = await transform(source, { filename, sourceMaps: true });
      return { code: code.replace(GLOBAL_CLASS, 'Object'), map, moduleType: 'js' };
    },
  },
};

/**
 * Replaces a text in a file of a package. The build fails unless the file contains it `count` times.
 * @param {string | RegExp} text
 */
function replacing(id, text, replacement, count = 1) {
  let parts = [];
  return {
    name: `replacing-in-${id.source}`,
    transform: {
      filter: { id },
      handler: (code) => {
        parts = code.split(text);
        return { code: parts.join(replacement), map: null };
      },
    },
    buildEnd: (error) => {
      if (!error && parts.length !== count + 1)
        throw new Error(`Expected "${text}" ${count} times in one file that matches ${id}`);
    },
  };
}

/** @nestjs/typeorm would load TypeORM a second time, to find out whether it has classes that TypeORM 1 removed. */
const oneTypeorm = replacing(/typeorm-compat\.js$/, 'createRequire(import.meta.url)', '() => ({})');

/** TypeORM would load 15 drivers that no engine uses. They are an eighth of all code. */
const oneDriverPerEngine = replacing(
  /typeorm\/driver\/DriverFactory\.js$/,
  /require\("\.\/(?!mysql\/|better-sqlite3\/)[\w-]+\/\w+Driver"\)/,
  '{}',
  15,
);

/** Nest would spend 12 ms on two date formats that only its default logger needs. */
const dateFormats = ['logger', 'console-logger'].map((name) =>
  replacing(
    new RegExp(`@nestjs/common/services/${name}\\.service\\.js$`),
    'new Intl.DateTimeFormat(',
    '((...options) => ({ format: (time) => new Intl.DateTimeFormat(...options).format(time) }))(',
  ),
);

/** The names that ES modules of the bundle import from `node:http`. */
const HTTP_NAMES = ['METHODS', 'STATUS_CODES', 'IncomingMessage', 'ServerResponse', 'createServer'];

/**
 * Replaces imports of `node:http`. Since Node 22, an import reads all properties of the module. One of them is the class
 * `WebSocket`, which also loads the HTTP client. `require` reads none of them.
 */
const withoutWebSocket = {
  name: 'without-web-socket',
  resolveId: {
    filter: { id: /^(node:)?http$/ },
    handler: (_id, _importer, { kind }) => (kind === 'require-call' ? undefined : '\0http'),
  },
  load: {
    filter: { id: /^\0http$/ },
    handler: () => `export const { ${HTTP_NAMES.join()} } = process.getBuiltinModule('node:http');`,
  },
};

/** Nest loads these packages only for features that this service does not use (see `no-restricted-imports`). */
const OPTIONAL = /^(@nestjs\/(microservices|websockets)|class-(transformer|validator))\b/;

/** The ES modules of a package that offers Node only CommonJS. */
const esModules = (path) => fileURLToPath(new URL(`node_modules/${path}/index.js`, import.meta.url));

await build({
  // The last one is for `--import`, and no other code imports it.
  input: { main: 'src/main.ts', cli: 'src/cli.ts', 'traces/otlp': 'src/traces/otlp.ts' },
  platform: 'node',
  resolve: {
    extensionAlias: { '.js': ['.ts', '.js'] },
    // The bundler omits unused parts of ES modules, such as the phone numbers of class-validator.
    mainFields: ['module', 'main'],
    alias: { 'rxjs/operators': esModules('rxjs/dist/esm/operators'), rxjs: esModules('rxjs/dist/esm') },
  },
  // libsql has a binary for each platform.
  external: (id, importer) => id === 'libsql' || (OPTIONAL.test(id) && /\/node_modules\/@nestjs\//.test(importer)),
  plugins: [swc, oneTypeorm, oneDriverPerEngine, ...dateFormats, withoutWebSocket],
  onLog: (level, log) => {
    if (level === 'warn') throw new Error(log.message);
  },
  output: {
    dir: 'dist',
    cleanDir: true,
    keepNames: true,
    sourcemap: true,
    chunkFileNames: '[name].js',
    comments: { legal: true, annotation: false, jsdoc: false },
  },
});
await cp('src/openapi/page', 'dist/page', { recursive: true });
for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js'])
  await cp(`node_modules/swagger-ui-dist/${file}`, `dist/page/${file}`);
