import { stepsOf, TreeCopy } from '../support/walk.js';

// Adds the fields and the nested array of the guide to a copy of the tree, and runs there what knows whole responses (decision 145).

let tree: TreeCopy;
beforeAll(() => {
  tree = new TreeCopy();
  for (const chapter of ['Add a field', 'Add a nested array']) tree.follow(stepsOf('docs/extending.md', chapter));
  tree.build();
}, 180_000);
afterAll(() => tree?.remove());

const runTests = (projects: string[], tests: string[], environment?: Record<string, string>) =>
  tree.run(
    'jest',
    [...tests.map((name) => `/${name}`), '--maxWorkers=1', '--selectProjects', ...projects],
    environment,
  );

test('the generated files are written by their tests', () => {
  const update = { UPDATE_OPENAPI: '1', UPDATE_SCHEMA: '1' };
  const [code, output] = runTests(['sqlite'], ['test/openapi', 'test/migrations.e2e'], update);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('2 passed') });
}, 600_000);

test('no test of whole responses or of files breaks, and the new fields and the array are as the tests say', () => {
  const responses = [
    'data-answers',
    'schema.e2e',
    'scope',
    'formats',
    'demo',
    'conformance',
    'new-fields',
    'documents',
  ];
  const files = [
    'import.e2e',
    'import-sources',
    'import-absent-columns',
    'import-dry-run',
    'import-replace',
    'export.e2e',
  ];
  const tests = [...responses, ...files].map((name) => `test/${name}`);
  const [code, output] = runTests(['unit', 'sqlite'], ['src/import/source', ...tests]);
  for (const name of tests) expect(output).toContain(`PASS sqlite ${name}`);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('PASS unit src/import/source/json') });
}, 900_000);
