import { createConfig, lintFromString } from '@redocly/openapi-core';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { OperationObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import { openApiDocument } from '../src/openapi/document.js';
import { call } from './support/http-call.js';
import { TestService } from './support/test-service.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.close());

const { components, paths } = openApiDocument();
const TEXT = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
const COMMITTED = resolve(import.meta.dirname, '../docs/openapi.json');

test('the document equals the committed file, which UPDATE_OPENAPI=1 rewrites', () => {
  if (process.env.UPDATE_OPENAPI === '1') writeFileSync(COMMITTED, TEXT);
  expect(TEXT).toBe(readFileSync(COMMITTED, 'utf8'));
});

test('the maximum lengths of texts equal those of the interface page (§2, decision 37)', () => {
  const interfaceText = readFileSync(resolve(import.meta.dirname, '../docs/interface.md'), 'utf8');
  const sections = [...interfaceText.matchAll(/^### 2\.[1-7] (\w+)\n([^]*?)(?=^### )/gm)];
  const expected = sections.map(([, name, text]) => [
    name,
    Object.fromEntries(
      [...text!.matchAll(/^\| `(\w+)` +\| text (\d+) /gm)].map(([, field, length]) => [field, Number(length)]),
    ),
  ]);
  expect(expected).toHaveLength(7);
  const documented = expected.map(([name]) => [name, maxLengths(name as string)]);
  expect(documented).toEqual(expected);
});

test('a strict linter finds no problems', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: TEXT, absoluteRef: 'openapi.json', config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

test('each response lists one format, and no schema has the name of a JavaScript global (decision 87)', () => {
  const operations = Object.values(paths!).flatMap((path) => Object.values(path) as OperationObject[]);
  const responses = [
    ...operations.flatMap(({ responses: own }) => Object.values(own ?? {}) as ResponseObject[]),
    ...(Object.values(components!.responses!) as ResponseObject[]),
  ];
  const formats = new Set(responses.map(({ content }) => Object.keys(content ?? {}).join(' ')));
  expect([...formats].toSorted()).toEqual(['', 'application/json', 'text/plain']);
  expect(Object.keys(components!.schemas!).filter((name) => name in globalThis)).toEqual([]);
});

test('only the management port serves the document (decision 28)', async () => {
  const response = await call(service.managementUrl, { path: '/openapi.json' });
  expect(JSON.parse(response.body)).toEqual(JSON.parse(TEXT));
  for (const path of ['/openapi.json', '/docs']) expect((await call(service.url, { path })).status).toBe(404);
});

test.each(Object.keys(paths!))('%s supports exactly the documented methods', async (path) => {
  const documented = Object.keys(paths![path]!).flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : ['POST']));
  const { status, headers } = await call(service.url, { path, method: 'DELETE' });
  expect([status, headers.allow]).toEqual([405, documented.join(', ')]);
});

/** Returns the `maxLength` of each property of a schema that has one. */
function maxLengths(schema: string): Record<string, number> {
  const { properties } = components!.schemas![schema] as SchemaObject;
  const lengths = Object.entries(properties!).map(([name, property]) => [name, (property as SchemaObject).maxLength]);
  return Object.fromEntries(lengths.filter(([, length]) => length));
}
