import { stepsOf, TreeCopy } from '../support/walk.js';

// Adds the fields and the nested array of the guide to a copy of the tree, and runs the tests of full responses there
// (docs/decisions.md#145).

const QUICK = ['data-responses', 'scope', 'new-fields', 'import-absent-columns', 'documents'];
/** Tests that take half a minute or more each. Only `npm run test:nightly` runs them. */
const FURTHER = [
  'schema.e2e',
  'formats',
  'demo',
  'conformance',
  'import.e2e',
  'import-sources',
  'import-dry-run',
  'import-replace',
  'export.e2e',
];

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

test('the tests of generated files can rewrite these files', () => {
  const update = { UPDATE_OPENAPI: '1', UPDATE_SCHEMA: '1' };
  const [code, output] = runTests(['sqlite'], ['test/openapi', 'test/migrations.e2e'], update);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('2 passed') });
}, 600_000);

test('the tests of full responses and of files pass with the new fields and the array', () => {
  const tests = [...QUICK, ...(process.env.NIGHTLY ? FURTHER : [])].map((name) => `test/${name}`);
  const [code, output] = runTests(['unit', 'sqlite'], ['src/import/source', ...tests]);
  for (const name of tests) expect(output).toContain(`PASS sqlite ${name}`);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('PASS unit src/import/source/json') });
}, 900_000);
