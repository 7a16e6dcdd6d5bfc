// Bundles src/ and its packages into dist/, because loading 1,400 files took half of the start of a process. The bundle
// is not minified, so that stack traces name functions (docs/decisions.md#206). Of the comments in the sources, it keeps
// only those that are marked as legal (`@license`, `/*!`). Without the others, a process starts about 5 % faster.
import { transform } from '@swc/core';
import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/** The compiler of the tests, with the same options from .swcrc. */
const swc = {
  name: 'swc',
  transform: {
    filter: { id: /\.ts$/ },
    handler: async (code, filename) => ({
      ...(await transform(code, { filename, sourceMaps: true })),
      moduleType: 'js',
    }),
  },
};

/** @nestjs/typeorm would load TypeORM a second time, to find out whether it has classes that TypeORM 1 removed. */
const oneTypeorm = {
  name: 'one-typeorm',
  transform: {
    filter: { id: /typeorm-compat\.js$/ },
    handler: (code) => ({ code: code.replace('createRequire(import.meta.url)', '() => ({})'), map: null }),
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
  plugins: [swc, oneTypeorm],
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
